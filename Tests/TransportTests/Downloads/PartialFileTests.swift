import Foundation
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

@Suite struct PartialFileTests {
    private let temporary = try? TemporaryFolder()
    private let record = DownloadRecord(url: "http://h/", entityTag: "\"1\"", length: 9)

    private func folder() throws -> TemporaryFolder { try #require(temporary) }

    private func code(_ body: () throws -> Void) -> DownloadError.Code? {
        #expect(throws: DownloadError.self, performing: body)?.code
    }

    @Test(arguments: [false, true]) func `replaces the target atomically`(isKept: Bool) throws {
        let target = try folder().url.appending(path: "file")
        try Data("old".utf8).write(to: target)
        let file = try PartialFile(for: target, isKept: isKept)
        try file.begin(at: 0, isKept ? record : nil)
        try file.append(Data("ne".utf8))
        try file.append(Data("w".utf8))
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(try folder().names.count == (isKept ? 3 : 2) && file.size == 3)
        try file.commit()
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        #expect(try folder().names == ["file"])
    }

    @Test(arguments: [false, true]) func `discard deletes all files`(isKept: Bool) throws {
        let file = try PartialFile(for: folder().url.appending(path: "file"), isKept: isKept)
        try file.begin(at: 0, isKept ? record : nil)
        try file.append(Data([1]))
        file.discard()
        #expect(try folder().names.isEmpty)
    }

    @Test func `deletes the files of killed processes, and no others`() throws {
        let folder = try folder()
        let others = [".other.partial", "name.partial"]
        for name in [".\(UUID().uuidString).partial"] + others {
            try Data("old".utf8).write(to: folder.url.appending(path: name))
        }
        let file = try PartialFile(for: folder.url.appending(path: "file"), isKept: false)
        #expect(try folder.names.count == 3 && Set(folder.names).isSuperset(of: others))
        file.discard()
        #expect(try folder.names.sorted() == others.sorted())
    }

    @Test func `is unlocked for the next download while a child process has a copy of its descriptor`()
        throws
    {
        let target = try folder().url.appending(path: "file")
        var file: PartialFile? = try PartialFile(for: target, isKept: true)
        let copies = Self.copies(ofDescriptorsFor: target.path + ".patchbay-partial")
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        #expect(code { _ = try PartialFile(for: target, isKept: true) } == .inUse)
        withExtendedLifetime(file) {}
        file = nil
        _ = try PartialFile(for: target, isKept: true)
    }

    /// Duplicates of all descriptors of this process for a file.
    private static func copies(ofDescriptorsFor path: String) -> [Int32] {
        guard let wanted = try? FileStatus(at: path) else { return [] }
        return (0..<getdtablesize()).filter { FileStatus(of: $0) == wanted }.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
    }

    @Test func `is found again with its record, which has mode 0600`() throws {
        let target = try folder().url.appending(path: "file")
        var file: PartialFile? = try PartialFile(for: target, isKept: true)
        #expect(file?.record == nil && file?.size == 0)
        try file?.begin(at: 0, record)
        try file?.append(Data("abcdef".utf8))
        file = nil
        let again = try PartialFile(for: target, isKept: true)
        #expect(again.record == record && again.size == 6)
        let attributes = try FileManager.default.attributesOfItem(atPath: target.path + ".patchbay-record")
        #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
        // Resumes before the end.
        try again.begin(at: 4, record)
        try again.append(Data("EF".utf8))
        try again.commit()
        #expect(try Data(contentsOf: target) == Data("abcdEF".utf8))
    }

    @Test func `replacing the bytes deletes the old record`() throws {
        let target = try folder().url.appending(path: "file")
        let file = try PartialFile(for: target, isKept: true)
        try file.begin(at: 0, record)
        try file.append(Data("abc".utf8))
        try file.begin(at: 0, nil)
        #expect(file.record == nil && file.size == 0)
        #expect(try folder().names == ["file.patchbay-partial"])
    }

    @Test func `is locked by one download at a time`() throws {
        let target = try folder().url.appending(path: "file")
        var file: PartialFile? = try PartialFile(for: target, isKept: true)
        #expect(code { _ = try PartialFile(for: target, isKept: true) } == .inUse)
        // A file that is not resumable is never shared.
        try PartialFile(for: target, isKept: false).discard()
        try file?.commit()
        _ = try PartialFile(for: target, isKept: true)
        file = nil
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test(arguments: [false, true])
    func `has mode 0600 until the rename, then the mode of the replaced file`(isKept: Bool) throws {
        let target = try folder().url.appending(path: "file")
        // The default mode of a new file.
        let plain = try folder().path("plain")
        #expect(close(open(plain, O_WRONLY | O_CREAT, 0o666)) == 0)
        for (old, new) in [(nil, try mode(plain)), (0o640, 0o640), (0o755, 0o755), (0o400, 0o400)] {
            try? FileManager.default.removeItem(at: target)
            if let old {
                try Data("old".utf8).write(to: target)
                try FileManager.default.setAttributes([.posixPermissions: old], ofItemAtPath: target.path)
            }
            if isKept {
                // Left with another mode by an earlier version.
                let partial = target.path + ".patchbay-partial"
                try Data("x".utf8).write(to: URL(filePath: partial))
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: partial)
            }
            let file = try PartialFile(for: target, isKept: isKept)
            let partial = try #require(try folder().names.first { $0.contains("partial") })
            #expect(try mode(folder().path(partial)) == 0o600)
            try file.begin(at: 0, nil)
            try file.append(Data("new".utf8))
            try file.commit()
            #expect(try mode(target.path) == new && Data(contentsOf: target) == Data("new".utf8))
            #expect(try folder().names == ["file", "plain"])
        }
    }

    @Test(arguments: ["gone", "missing/gone", "/nonexistent/gone", "link"])
    func `a broken symbolic link is an error`(destination: String) throws {
        let link = try folder().url.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: destination)
        for isKept in [false, true] {
            let error = #expect(throws: DownloadError.self) { _ = try PartialFile(for: link, isKept: isKept) }
            #expect(error?.code == .invalidTarget)
            #expect(
                error?.message
                    == "Broken symbolic link: the file \"link\"; remove the link, or create "
                    + "its target.")
        }
        #expect(try folder().names == ["link"])
    }

    @Test func `a missing folder is an error`() throws {
        let target = try folder().url.appending(path: "missing/file")
        let error = #expect(throws: DownloadError.self) { _ = try PartialFile(for: target, isKept: false) }
        #expect(error?.message == "Folder not found: the folder of the file \"file\"; create it first.")
    }

    @Test func `follows and keeps a symbolic link`() throws {
        let target = try folder().url.appending(path: "file")
        let link = try folder().url.appending(path: "link")
        try Data("old".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let file = try PartialFile(for: link, isKept: false)
        try file.append(Data("new".utf8))
        try file.commit()
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
    }

    @Test func `does not write through a partial file that is a symbolic link`() throws {
        let target = try folder().url.appending(path: "file")
        let other = try folder().url.appending(path: "other")
        try Data("mine".utf8).write(to: other)
        try FileManager.default.createSymbolicLink(
            atPath: target.path + ".patchbay-partial", withDestinationPath: other.path)
        #expect(code { _ = try PartialFile(for: target, isKept: true) } == .fileFailure)
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
    }

    @Test(arguments: [false, true]) func `invalid targets are errors`(isKept: Bool) throws {
        let folder = try folder().url
        let targets: [(URL, DownloadError.Code)] = [
            (folder, .invalidTarget), (folder.appending(path: "new/", directoryHint: .isDirectory), .invalidTarget),
            (URL(filePath: "/dev/null"), .invalidTarget), (folder.appending(path: "missing/file"), .missingFolder),
            (try #require(URL(string: "http://h/file")), .invalidTarget),
            (folder.appending(path: String(repeating: "x", count: 300)), .fileFailure),
        ]
        for (target, expected) in targets {
            #expect(
                code { _ = try PartialFile(for: target, isKept: isKept) } == expected, "\(target.lastPathComponent)")
        }
        try Data().write(to: folder.appending(path: "file"))
        #expect(
            code { _ = try PartialFile(for: folder.appending(path: "file/below"), isKept: isKept) } == .missingFolder)
        #expect(try self.folder().names == ["file"])
    }

    @Test(.needsSmallDisk) func `a full disk is an error`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let file = try PartialFile(for: disk.folder.url.appending(path: "file"), isKept: false)
        #expect(code { for _ in 0..<32 { try file.append(Data(count: 64 << 10)) } } == .diskFull)
        file.discard()
        #expect(try disk.folder.names.isEmpty)
    }
}
