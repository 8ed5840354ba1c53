// Compares this package's client and engines with AsyncHTTPClient, over loopback.

import CurlTransport
import Foundation
import Transport

if CommandLine.arguments.dropFirst().first == "--serve" {
    try await ServerProcess.serve()
    exit(0)
}
let server = try ServerProcess()
let comparison = EngineComparison(try AsyncHTTPClientEngine(server))
try await comparison.run(with: PatchbayEngine("URLSessionTransport", URLSessionTransport(), server))
if let transport = CurlTransport.ofSystem() {
    // The first word: those of its libraries follow.
    let name = "CurlTransport with \(try CurlTransport.libraryVersion.prefix { $0 != " " })"
    try await comparison.run(with: PatchbayEngine(name, transport, server))
    await transport.shutdown()
}
try await comparison.peer.shutdown()
server.stop()

extension CurlTransport {
    /// A transport without a proxy; nil, with a note, where the system has no libcurl for it.
    fileprivate static func ofSystem() -> CurlTransport? {
        do {
            return try CurlTransport(.init(proxy: .none))
        } catch {
            print("Skipped: CurlTransport against AsyncHTTPClient; \(error)")
            return nil
        }
    }
}
