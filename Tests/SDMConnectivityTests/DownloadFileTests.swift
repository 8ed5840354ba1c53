import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct DownloadFileTests {
    @Test(
        arguments: [
            (206, "bytes 95-162/163", nil, Continuation.appends), (206, "Bytes 95-162/*", nil, .appends),
            (206, "bytes 95-162/163", "identity", .appends),
            // A part of the rest would be taken for the whole file.
            (206, "bytes 95-100/163", nil, .mismatch), (206, "bytes 95-94/95", nil, .mismatch),
            (206, "bytes 9-162/163", nil, .mismatch), (206, "bytes 95-9223372036854775807/1", nil, .mismatch),
            (206, "bytes 95-99999999999999999999/*", nil, .mismatch), (206, "bytes */163", nil, .mismatch),
            // Several parts, and positions in the compressed body.
            (206, nil, nil, .mismatch), (206, "bytes 95-162/163", "gzip", .mismatch),
            (416, "bytes */90", nil, .mismatch), (200, nil, nil, .replaces), (404, nil, nil, .unrelated),
        ] as [(Int, String?, String?, Continuation)])
    func `S27: only the rest of the file is appended`(
        status: Int, range: String?, coding: String?, expected: Continuation
    ) throws {
        let fields = [range.map { ("Content-Range", $0) }, coding.map { ("Content-Encoding", $0) }]
        #expect(Continuation(try head(fields.compactMap(\.self), status), offset: 95) == expected)
    }

    private func settings(_ folder: TemporaryFolder) -> SDMRequestSettings {
        var settings = SDMRequestSettings(url: nil, timeOutSeconds: 10)
        settings.downloadDestinationPath = folder.url.appending(path: "target").path
        settings.temporaryFileDownloadPath = folder.url.appending(path: "partial").path
        settings.allowResumeForFileDownloads = true
        return settings
    }

    @Test func `S27: a partial file that was removed or cut meanwhile is not filled with zeros`() throws {
        for rest in [nil, Data("ha".utf8)] {
            let folder = try TemporaryFolder()
            let partial = folder.url.appending(path: "partial")
            try Data("half".utf8).write(to: partial)
            let file = try #require(try DownloadFile(settings(folder)))
            #expect(file.offset == 4)
            try FileManager.default.removeItem(at: partial)
            try rest?.write(to: partial)
            let error = #expect(throws: SDMError.self) { try file.open(at: 4) }
            #expect(error?.code == .fileManagement && error?.message.contains("was changed") == true)
            #expect((try? Data(contentsOf: partial)) == rest)
        }
    }

    @Test func `a folder as the destination is not replaced, and the temporary file is removed`() async throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: target.appending(path: "file"))
        let request = SDMSession.test(ScriptedTransport { $0.response(text: "new") })
            .get(URL(string: "http://example.com/"))
        request.downloadDestinationPath = target.path
        #expect(await request.ended()?.errorCode == 8)
        #expect(try Data(contentsOf: target.appending(path: "file")) == Data("kept".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
    }

    @Test func `S28: an existing file stays when its replacement fails`() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        try Data("old".utf8).write(to: target)
        let file = try #require(try DownloadFile(settings(folder)))
        try file.open(at: 0)
        try file.append(Data("new".utf8))
        try FileManager.default.removeItem(at: folder.url.appending(path: "partial"))
        let error = #expect(throws: SDMError.self) { try file.commit() }
        #expect(error?.code == .fileManagement)
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
    }

    // On most Linux systems, a volume of its own.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func `a download replaces a file on another volume`() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        let partial = URL(filePath: "/dev/shm/patchbay-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: partial) }
        try Data("old".utf8).write(to: target)
        var options = settings(folder)
        options.temporaryFileDownloadPath = partial.path
        let file = try #require(try DownloadFile(options))
        try file.open(at: 0)
        try file.append(Data("new".utf8))
        try file.commit()
        #expect(try Data(contentsOf: target) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
        #expect(!FileManager.default.fileExists(atPath: partial.path))
    }

    @Test(arguments: ["\"1\"", "W/\"1\""]) func `S27: an attempt continues only the same version of the file`(
        etag: String
    ) async throws {
        let transport = InterruptedTransport(["ETag": etag], "half", then: ["ETag": "\"2\""], "other")
        let folder = try TemporaryFolder()
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        request.addRequestHeader("Accept-Encoding", value: "gzip")
        let target = folder.url.appending(path: "target")
        try await request.download(to: target, resuming: folder.url.appending(path: "partial"))
        #expect(try Data(contentsOf: target) == Data("other".utf8))
        let sent = try #require(transport.requests.value.last?.fields)
        #expect(transport.requests.value.count == 2 && sent[.range] == "bytes=4-")
        #expect(sent[.acceptEncoding] == "identity")
        #expect(sent["If-Range"] == (etag.hasPrefix("W/") ? nil : etag))
    }
}
