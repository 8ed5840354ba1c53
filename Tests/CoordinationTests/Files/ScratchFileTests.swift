import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import Coordination

@Suite struct ScratchFileTests {
    @Test func `reads back the written bytes, and is unlinked`() throws {
        let folder = try TemporaryFolder()
        let file = try ScratchFile(in: folder.url)
        #expect(try folder.names.isEmpty)
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try file.write(data.prefix(60_000), at: 0)
        try file.write(data.dropFirst(60_000), at: 60_000)
        #expect(try file.read(100_000, at: 0) == data)
        #expect(try file.read(10, at: 59_995) == data.dropFirst(59_995).prefix(10))
        #expect(throws: POSIXError.self) { try file.read(2, at: 99_999) }
        #expect(try file.read(0, at: 0).isEmpty)
    }

    @Test func `a named file exists until it is released`() throws {
        let folder = try TemporaryFolder()
        do {
            let file = try ScratchFile(in: folder.url, isNamed: true)
            let url = try #require(file.url)
            try file.write(Data("abc".utf8), at: 0)
            #expect(try folder.names == [url.lastPathComponent] && Data(contentsOf: url) == Data("abc".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func `reports why it cannot be created`() {
        let error = #expect(throws: POSIXError.self) { _ = try ScratchFile(in: URL(filePath: "/nonexistent/folder")) }
        #expect(error?.code == .ENOENT)
    }
}
