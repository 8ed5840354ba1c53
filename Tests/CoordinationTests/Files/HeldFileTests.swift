import Foundation
import SystemLibraries
import TestSupport
import Testing

@testable import Coordination

@Suite struct HeldFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the file of a writer stays, and that of a killed one is deleted`() throws {
        let held = try HeldFile(in: folder.url, kind: "x")
        try held.append(Data([1]))
        for _ in 0..<2 { _ = try SystemFile(folder.url.appending(path: ".\(UUID()).x").path, for: .creatingNew) }
        HeldFile.deleteAbandoned(in: folder.url, kind: "x")
        #expect(try folder.names.count == 1 && held.size == 1)
        try held.move(to: folder.url.appending(path: "a").path)
        #expect(try folder.names == ["a"])
    }

    @Test(arguments: [POSIXError.Code.EOPNOTSUPP, .ENOSYS, .ENOLCK])
    func `a file system without locks gets one file, which has no lock`(code: POSIXError.Code) throws {
        let held = try HeldFile(in: folder.url, kind: "x") { _ throws(POSIXError) in throw POSIXError(code) }
        try held.append(Data([1, 2]))
        #expect(try folder.names.count == 1 && held.size == 2)
    }

    @Test func `a new file that another process takes for an abandoned one is followed by another`() throws {
        var locks = 0
        let held = try HeldFile(in: folder.url, kind: "x") { file throws(POSIXError) in
            locks += 1
            guard locks > 1 else { return false }
            return try file.lock()
        }
        // The other process deletes the first one.
        #expect(try folder.names.count == 2 && locks == 2 && held.size == 0)
    }
}
