import Foundation
import PatchbayTestKit
import StoreTestSupport
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import Coordination

@Suite(.needsSlot) struct SmallFileTests {
    private let folder: TemporaryFolder
    private let url: URL
    private let file: SmallFile
    /// The file that a kill leaves behind.
    private var rest: URL { folder.url.appending(path: ".secrets.new") }

    init() throws {
        folder = try TemporaryFolder()
        url = folder.url.appending(path: "secrets")
        file = SmallFile(url)
    }

    @Test func `a file is replaced as a whole, and is for its owner only`() throws {
        #expect(try file.read() == nil)
        for text in ["one", "", "another"] {
            try file.replace(with: Data(text.utf8))
            #expect(try file.read() == Data(text.utf8) && FileStatus(at: url.path).mode == 0o600)
            #expect(try folder.names == ["secrets"])
            // A file that was made readable is replaced.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        }
        try file.remove()
        #expect(try file.read() == nil && folder.names == [])
        try file.remove()
    }

    @Test func `what a kill has left is deleted by each call`() throws {
        let calls: [(SmallFile) throws -> Void] = [
            { _ = try $0.read() }, { try $0.replace(with: Data("new".utf8)) }, { try $0.remove() },
            { _ = try $0.replace(with: nil) { _ in false } },
        ]
        for call in calls {
            try file.replace(with: Data("old".utf8))
            try Data("secret of a killed writer".utf8).write(to: rest)
            // Others' files stay.
            try Data().write(to: folder.url.appending(path: ".secrets.newer"))
            try call(file)
            #expect(try folder.names.filter { $0 != "secrets" } == [".secrets.newer"])
        }
    }

    @Test func `a symbolic link in place of the temporary file is not followed`() throws {
        let target = folder.url.appending(path: "target")
        try Data("kept".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: rest, withDestinationURL: target)
        try file.replace(with: Data("secret".utf8))
        #expect(try Data(contentsOf: target) == Data("kept".utf8) && folder.names == ["secrets", "target"])
    }

    @Test func `a condition decides by the content of the moment`() throws {
        let (old, new) = (Data("old".utf8), Data("new".utf8))
        #expect(try file.replace(with: old) { $0 == nil })
        #expect(try !file.replace(with: new) { $0 == nil } && file.read() == old)
        #expect(try file.replace(with: new) { $0 == old } && file.read() == new)
        #expect(try file.replace(with: nil) { $0 == new } && file.read() == nil)
    }

    @Test func `writers at the same time do not disturb each other`() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { writer in
            do {
                let file = SmallFile(url)
                for number in 0..<25 {
                    try file.replace(with: Data(repeating: UInt8(writer), count: 1000 + number))
                    // Never the content of two writers, and never a part.
                    let content = try file.read() ?? Data()
                    guard content.count >= 1000, Set(content).count == 1 else { throw POSIXError(.EIO) }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try folder.names == ["secrets"])
    }

    @Test(.enabled(if: DeltaWriter.exists, "delta-writer is not built"))
    func `a kill leaves a whole content, and nothing that others can read`() throws {
        for round in 0..<20 {
            let writer = try DeltaWriter("small", url.path, rows: 300_000)
            try writer.waitUntilReady()
            // More or fewer writes.
            for _ in 0..<round { _ = try file.read() }
            writer.kill()
            for name in try folder.names {
                #expect(try FileStatus(at: folder.path(name)).mode == 0o600, "\(name)")
                #expect(["secrets", ".secrets.new"].contains(name))
            }
            if let content = try file.read() { #expect(content.count == 300_000 && Set(content).count == 1) }
            #expect(try folder.names.filter { $0 != "secrets" } == [])
        }
    }

    @Test func `a missing folder has no file, and takes none`() throws {
        let missing = SmallFile(folder.url.appending(path: "missing/secrets"))
        #expect(try missing.read() == nil)
        try missing.remove()
        let error = #expect(throws: POSIXError.self) { try missing.replace(with: Data()) }
        #expect(error?.code == .ENOENT)
    }

    @Test func `a lock is held by one user at a time`() async throws {
        let lock = FileLock(folder.url.appending(path: ".lock"))
        let (holders, maximum) = (Watched(0), Watched(0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await lock.withLock {
                        holders.update { $0 += 1 }
                        await Task.yield()
                        let count = holders.value
                        maximum.update { $0 = max($0, count) }
                        holders.update { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(maximum.value == 1 && holders.value == 0)
        #expect(try FileStatus(at: folder.path(".lock")).mode == 0o600)
        // The error of the work releases it.
        await #expect(throws: POSIXError.self) { try await lock.withLock { throw POSIXError(.EIO) } }
        #expect(try await lock.withLock { true })
    }

    @Test func `work runs without a lock where its file cannot be created`() async throws {
        let lock = FileLock(folder.url.appending(path: "missing/.lock"))
        #expect(try await lock.withLock { 1 } == 1)
    }
}
