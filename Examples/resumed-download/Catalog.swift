import ExampleSupport
import Foundation
import PatchbayTestKit
import SystemLibraries

/// The server of the example: a file of 1 MB, whose connections break after 400 kB.
enum Catalog {
    static func start() throws -> LoopbackServer {
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) })
        let digest = Data(try MessageDigest.digest(of: Array(content), .sha256)).base64EncodedString()
        let file = ServedFile(content, bytesPerConnection: 400_000, fields: ["Repr-Digest": "sha-256=:\(digest):"])
        return try LoopbackServer { request in file.script(for: request) }
    }
}
