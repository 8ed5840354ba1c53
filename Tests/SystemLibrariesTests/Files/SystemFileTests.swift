import Foundation
import SystemLibraries
import TestSupport
import Testing

@Suite struct SystemFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func code(_ body: () throws -> Void) -> POSIXError.Code? {
        #expect(throws: POSIXError.self, performing: body)?.code
    }

    @Test func `appends, writes and reads at offsets, and truncates`() throws {
        let file = try SystemFile(path("a"), for: .creatingNew)
        try file.append(Data("abcdef".utf8))
        try file.write(Data("XY".utf8), at: 1)
        try file.append(Data("gh".utf8))
        #expect(try file.read(8, at: 0) == Data("aXYdefgh".utf8))
        #expect(try file.read(0, at: 3) == Data())
        #expect(code { _ = try file.read(9, at: 0) } == .EIO)
        try file.truncate(to: 3)
        try file.append(Data("!".utf8))
        try file.synchronize()
        #expect(try file.read(4, at: 0) == Data("aXY!".utf8) && file.status?.size == 4)
        #expect(try SystemFile(path("a"), for: .reading).read(4, at: 0) == Data("aXY!".utf8))
    }

    @Test func `opens only what the access allows`() throws {
        #expect(code { _ = try SystemFile(path("none"), for: .reading) } == .ENOENT)
        #expect(code { _ = try SystemFile(path("none"), for: .writing) } == .ENOENT)
        _ = try SystemFile(path("a"), for: .creating)
        _ = try SystemFile(path("a"), for: .writing)
        #expect(code { _ = try SystemFile(path("a"), for: .creatingNew) } == .EEXIST)
        #expect(code { try SystemFile(path("a"), for: .reading).append(Data([1])) } == .EBADF)
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        _ = try SystemFile(path("link"), for: .reading)
        #expect(code { _ = try SystemFile(path("link"), for: .creating) } == .ELOOP)
    }

    @Test func `has the mode that was given or set`() throws {
        let file = try SystemFile(path("a"), for: .creatingNew)
        #expect(file.status?.mode == 0o600)
        file.setMode(0o640)
        #expect(try FileStatus(at: path("a")).mode == 0o640)
    }

    @Test func `is locked once, until it is unlocked or closed`() throws {
        var first: SystemFile? = try SystemFile(path("a"), for: .creating)
        let second = try SystemFile(path("a"), for: .writing)
        #expect(try first?.lock() == true && !second.lock())
        first?.unlock()
        #expect(try second.lock() && first?.lock() == false)
        second.unlock()
        first = nil
        #expect(try second.lock())
    }

    @Test func `metadata tells kinds and files apart`() throws {
        let file = try SystemFile(path("a"), for: .creating)
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        #expect(try FileStatus(at: path("a")) == file.status && file.status?.kind == .regular)
        #expect(try FileStatus(at: path("link")) == file.status)
        let link = try FileStatus(at: path("link"), followingLinks: false)
        #expect(link.kind == .symbolicLink && link.identity != file.status?.identity && link.linkCount == 1)
        try FileManager.default.linkItem(atPath: path("a"), toPath: path("b"))
        #expect(try FileStatus(at: path("b")).identity == file.status?.identity && file.status?.linkCount == 2)
        #expect(try FileStatus(at: folder.url.path).kind == .folder)
        #expect(try FileStatus(at: "/dev/null").kind == .other)
        #expect(code { _ = try FileStatus(at: path("none")) } == .ENOENT)
        #expect(FileStatus(of: -1) == nil)
    }

    @Test func `removes a file, and no folder`() throws {
        _ = try SystemFile(path("a"), for: .creating)
        // The second time it is missing already.
        for _ in 0..<2 { try SystemFile.remove(path("a")) }
        #expect(try folder.names.isEmpty && code { try SystemFile.remove(folder.url.path) } != nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func `moves and deletes by name`() throws {
        try SystemFile(path("a"), for: .creating).append(Data([1]))
        try SystemFile(path("b"), for: .creating).append(Data([2, 3]))
        try SystemFile.move(path("a"), to: path("b"))
        #expect(try folder.names == ["b"] && FileStatus(at: path("b")).size == 1)
        #expect(code { try SystemFile.move(path("a"), to: path("b")) } == .ENOENT)
        SystemFile.delete(path("b"))
        SystemFile.delete(path("b"))
        #expect(try folder.names.isEmpty)
    }
}
