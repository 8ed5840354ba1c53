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
            try DownloadRecord(url: "http://example.com/", entityTag: "\"1\"", length: 8)
                .write(to: partial.path + ".patchbay-record")
            let file = try #require(DownloadFile(settings(folder)))
            var message = try HTTPMessages.HTTPRequest(.get, "http://example.com/")
            try file.addRange(to: &message)
            #expect(file.offset == 4 && message.fields[.range] == "bytes=4-" && message.fields[.ifRange] == "\"1\"")
            try FileManager.default.removeItem(at: partial)
            try rest?.write(to: partial)
            let error = #expect(throws: SDMError.self) { try file.open(at: 4) }
            #expect(error?.code == .fileManagement && error?.message.contains("was changed") == true)
            #expect(try Data(contentsOf: partial) == rest ?? Data())
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

    @Test(
        arguments: [
            ("GET", 304, "", "old"), ("GET", 204, "", "old"), ("GET", 404, "", "old"), ("HEAD", 200, "", "old"),
            ("GET", 200, "", ""), ("GET", 200, "new", "new"), ("GET", 404, "none", "none"),
        ])
    func `a response without a body leaves the file, an empty success replaces it`(
        method: String, status: Int, body: String, expected: String
    ) async throws {
        let code = try #require(HTTPStatus(status))
        for isPartial in [false, true] {
            let folder = try TemporaryFolder()
            let target = folder.url.appending(path: "target")
            try Data("old".utf8).write(to: target)
            let request = SDMSession.test(
                ScriptedTransport { $0.response(code, body: Data(body.utf8)) }
            ).get(URL(string: "http://example.com/"))
            request.requestMethod = method
            request.downloadDestinationPath = target.path
            if isPartial { request.temporaryFileDownloadPath = folder.url.appending(path: "partial").path }
            #expect(await request.ended() == nil && Int(request.responseStatusCode) == status)
            #expect(try String(decoding: Data(contentsOf: target), as: UTF8.self) == expected)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
        }
    }

    @Test func `S28: an existing file stays when its replacement fails`() throws {
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "target")
        try Data("old".utf8).write(to: target)
        let file = try #require(DownloadFile(settings(folder)))
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
        let file = try #require(DownloadFile(options))
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
        let transport = InterruptedTransport(
            ["ETag": etag, "Content-Length": "8"], "half", then: ["ETag": "\"2\""], "other")
        let folder = try TemporaryFolder()
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        request.addRequestHeader("Accept-Encoding", value: "gzip")
        let target = folder.url.appending(path: "target")
        try await request.download(to: target, resuming: folder.url.appending(path: "partial"))
        #expect(try Data(contentsOf: target) == Data("other".utf8))
        let sent = try #require(transport.requests.value.last?.fields)
        // A weak tag does not tell whether the bytes are the same.
        let isContinued = !etag.hasPrefix("W/")
        #expect(transport.requests.value.count == 2 && sent[.range] == (isContinued ? "bytes=4-" : nil))
        #expect(sent[.acceptEncoding] == (isContinued ? "identity" : "gzip"))
        #expect(sent[.ifRange] == (isContinued ? etag : nil))
    }

    @Test(arguments: [("ann", true), ("bob", false), (nil, false)] as [(String?, Bool)])
    func `S27: only the user of a partial file continues it`(user: String?, isContinued: Bool) async throws {
        let folder = try TemporaryFolder()
        let (partial, target) = (folder.url.appending(path: "partial"), folder.url.appending(path: "target"))
        try Data("half".utf8).write(to: partial)
        let record = DownloadRecord(
            describing: try head([("ETag", "\"1\""), ("Content-Length", "8")]),
            of: try HTTPMessages.HTTPRequest(.get, "http://example.com/"), as: "ann")
        try #require(record).write(to: partial.path + ".patchbay-record")
        let transport = ScriptedTransport { $0.response(text: "whole") }
        let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
        (request.username, request.password) = (user, "hush")
        try await request.download(to: target, resuming: partial)
        #expect(transport.requests.map { $0.fields[.range] } == [isContinued ? "bytes=4-" : nil])
        #expect(try Data(contentsOf: target) == Data("whole".utf8))
    }

    @Test func `S27: two downloads do not write to the same partial file`() throws {
        let folder = try TemporaryFolder()
        let first = try #require(DownloadFile(settings(folder)))
        try first.open(at: 0)
        let second = try #require(DownloadFile(settings(folder)))
        let error = #expect(throws: SDMError.self) { try second.open(at: 0) }
        #expect(error?.code == .fileManagement && error?.message.contains("Another download uses") == true)
        try first.append(Data("first".utf8))
        try first.commit()
        try second.open(at: 0)
        second.abandon()
        #expect(try Data(contentsOf: folder.url.appending(path: "target")) == Data("first".utf8))
    }

    @Test func `S27: only a whole response with a strong tag, a length and no coding can be continued`() throws {
        let message = try HTTPMessages.HTTPRequest(.get, "http://example.com/")
        let plain = [("ETag", "\"1\""), ("Content-Length", "8")]
        let cases: [([(String, String)], Int, Bool)] = [
            (plain, 200, true), (plain, 203, false), ([plain[0]], 200, false), ([plain[1]], 200, false),
            ([("ETag", "W/\"1\""), plain[1]], 200, false), (plain + [("Content-Encoding", "gzip")], 200, false),
            (plain + [("Accept-Ranges", "none")], 200, false), (plain + [("Accept-Ranges", "bytes")], 200, true),
        ]
        for (fields, status, isContinuable) in cases {
            let record = DownloadRecord(describing: try head(fields, status), of: message)
            #expect((record != nil) == isContinuable, "\(fields) \(status)")
        }
    }
}
