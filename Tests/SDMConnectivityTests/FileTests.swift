import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import SystemLibraries
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct FileTests {
    private func file(_ name: String = "body", in folder: TemporaryFolder, _ data: Data) throws -> URL {
        let url = folder.url.appending(path: name)
        try data.write(to: url)
        return url
    }

    @Test func `S26: a file as the body, appended, streamed or named`() async throws {
        let folder = try TemporaryFolder()
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let path = try file(in: folder, data).path
        let changes: [(SDMHttpRequest) -> Void] = [
            { $0.appendPostData(fromFile: path) },
            { request in
                request.shouldStreamPostDataFromDisk = true
                request.appendPostData(fromFile: path)
            },
            { request in
                request.shouldStreamPostDataFromDisk = true
                request.postBodyFilePath = path
            },
        ]
        try await LoopbackServer { $0.response() }.stopping { server in
            for change in changes {
                let request = try SDMSession.test().get(server)
                request.requestMethod = "PUT"
                change(request)
                #expect(await request.ended() == nil)
                let received = try #require(server.requests.last)
                #expect(received.method == "PUT" && received.body == data)
                #expect(received.fields[.contentLength] == "300000")
            }
        }
    }

    @Test func `S26: bytes and files in their order`() async throws {
        let folder = try TemporaryFolder()
        let path = try file(in: folder, Data("file".utf8)).path
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.shouldStreamPostDataFromDisk = true
            request.appendPost(Data("before ".utf8))
            request.appendPostData(fromFile: path)
            request.appendPost(Data(" after".utf8))
            #expect(request.postLength == 17 && request.postBody == nil)
            #expect(await request.ended() == nil)
            #expect(server.requests.last?.body == Data("before file after".utf8))
        }
    }

    @Test(arguments: ["missing", "folder", "URL"], [false, true])
    func `S26: a body file that cannot be read fails with 8, and nothing is sent`(
        kind: String, isStreamed: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let readable = try file("readable", in: folder, Data("file".utf8))
        let path =
            switch kind {
            case "folder": folder.url.path
            case "URL": readable.absoluteString
            default: folder.url.appending(path: "missing").path
            }
        let changes: [(SDMHttpRequest) -> Void] = [
            { $0.postBodyFilePath = path },
            { $0.appendPostData(fromFile: path) },
            { request in
                request.appendPost(Data("before".utf8))
                request.appendPostData(fromFile: path)
            },
        ]
        for change in changes {
            let transport = ScriptedTransport { $0.response() }
            let request = SDMSession.test(transport).get(URL(string: "http://example.com/"))
            request.requestMethod = "PUT"
            request.shouldStreamPostDataFromDisk = isStreamed
            change(request)
            #expect(await request.ended()?.errorCode == 8 && transport.requests.isEmpty)
        }
    }

    @Test func `a download replaces the file, and a redirect's body does not get into it`() async throws {
        let folder = try TemporaryFolder()
        let target = try file("target", in: folder, Data("old".utf8))
        try await LoopbackServer { request in
            guard request.url.path() == "/" else { return request.response(text: "new") }
            return request.response(
                .found, fields: try HTTPFields(["Location": "/next"]), body: Data("moved".utf8))
        }.stopping { server in
            let request = try SDMSession.test().get(server)
            try await request.download(to: target)
            #expect(try Data(contentsOf: target) == Data("new".utf8) && request.responseData == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
        }
    }

    /// Runs with a server of 163 bytes that supports ranges as `style` says, and a partial file with its record.
    private func run(
        _ style: String, _ body: (LoopbackServer, TemporaryFolder, Data) async throws -> Void
    ) async throws {
        let content = Data((0..<163).map { UInt8($0) })
        try await LoopbackServer { request in
            guard request.fields[.range] == "bytes=95-", style != "whole" else {
                return request.response(fields: try HTTPFields(["ETag": "\"1\""]), body: content)
            }
            let range = style == "mismatch" ? "bytes 0-67/163" : "bytes 95-162/163"
            let fields = try HTTPFields([
                "Content-Range": style == "416" ? "bytes */90" : range,
                "ETag": style == "other version" ? "\"2\"" : "\"1\"",
            ])
            return request.response(
                style == "416" ? .rangeNotSatisfiable : .partialContent, fields: fields, body: content.dropFirst(95))
        }.stopping { server in
            let folder = try TemporaryFolder()
            let partial = folder.url.appending(path: "partial")
            try content.prefix(95).write(to: partial)
            try DownloadRecord(url: server.url(of: "/").absoluteString, entityTag: "\"1\"", length: 163)
                .write(to: partial.path + ".patchbay-record")
            try await body(server, folder, content)
        }
    }

    @Test(arguments: ["partial", "whole", "mismatch", "416", "other version"])
    func `S27: a download continues where it stopped, or starts again`(style: String) async throws {
        try await run(style) { server, folder, content in
            let request = try SDMSession.test().get(server)
            let log = ProgressLog()
            request.downloadProgressDelegate = log
            let target = folder.url.appending(path: "target")
            try await request.download(to: target, resuming: folder.url.appending(path: "partial"))
            #expect(try Data(contentsOf: target) == content)
            #expect(server.requests.first?.fields[.range] == "bytes=95-")
            #expect(server.requests.first?.fields[.ifRange] == "\"1\"")
            #expect(server.requests.first?.fields[.acceptEncoding] == "identity")
            #expect(server.requestCount == (["mismatch", "416", "other version"].contains(style) ? 2 : 1))
            #expect(request.contentLength == (style == "partial" ? 68 : 163))
            #expect(request.partialDownloadSize == (style == "partial" ? 95 : 0))
            try await log.finished()
            #expect(log.bytes == 163 && log.size == 163)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
        }
    }

    @Test(arguments: ["no record", "other URL", "other version", "longer", "If-Range of the app"])
    func `S27: without a validator of its bytes, a download starts again`(reason: String) async throws {
        try await run("whole") { server, folder, content in
            let partial = folder.url.appending(path: "partial")
            let path = partial.path + ".patchbay-record"
            let (url, session) = (try server.url(of: "/").absoluteString, SDMSession.test())
            let request = try session.get(server)
            switch reason {
            case "other URL": try DownloadRecord(url: url + "a", entityTag: "\"1\"", length: 163).write(to: path)
            case "other version": try Data("{}".utf8).write(to: URL(filePath: path))
            case "longer": try DownloadRecord(url: url, entityTag: "\"1\"", length: 95).write(to: path)
            case "If-Range of the app": request.setEtag("\"2\"", with: .ifRange)
            default: try FileManager.default.removeItem(atPath: path)
            }
            let target = folder.url.appending(path: "target")
            try await request.download(to: target, resuming: partial)
            #expect(server.requests.first?.fields[.range] == nil && server.requestCount == 1)
            #expect(try Data(contentsOf: target) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
        }
    }

    @Test func `S27: an interrupted download leaves the record of its bytes, and the next call continues them`()
        async throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nETag: \"1\"\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nETag: \"1\"\r\nContent-Range: bytes 4-7/8\r\n\r\nover"
        try await LoopbackServer(script: { $0.number == 0 ? [.send(head + "half"), .close] : [.send(rest)] })
            .stopping { server in
                let folder = try TemporaryFolder()
                let (partial, target) = (folder.url.appending(path: "partial"), folder.url.appending(path: "target"))
                // No further attempt in this call.
                let request = try SDMSession.test().get(server)
                request.delegate = CancellingDelegate()
                await #expect(throws: SDMError.self) { try await request.download(to: target, resuming: partial) }
                let record = try #require(DownloadRecord(at: partial.path + ".patchbay-record"))
                #expect(record.entityTag == "\"1\"" && record.length == 8)
                for file in ["partial", "partial.patchbay-record"] {
                    #expect(try FileStatus(at: folder.url.appending(path: file).path).mode == 0o600)
                }
                try await SDMSession.test().get(server).download(to: target, resuming: partial)
                #expect(try Data(contentsOf: target) == Data("halfover".utf8))
                #expect(server.requests.last?.fields[.range] == "bytes=4-")
                #expect(server.requests.last?.fields[.ifRange] == "\"1\"")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target"])
            }
    }

    @Test func `S27: a lost connection continues the file, and a failure keeps it`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
        try await LoopbackServer(script: { _ in [.send(head + "half"), .close] }).stopping { server in
            let folder = try TemporaryFolder()
            let request = try SDMSession.test().get(server)
            let partial = folder.url.appending(path: "partial")
            await #expect(throws: SDMError.self) {
                try await request.download(to: folder.url.appending(path: "target"), resuming: partial)
            }
            #expect(try Data(contentsOf: partial) == Data("half".utf8))
            #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "target").path))
        }
    }

    @Test func `a download without a file of its own is private until its end, and removes those of killed writers`()
        async throws
    {
        let gate = Gate()
        let script: ServerScript = [
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\nhalf"),
            .wait(for: gate), .send("over"),
        ]
        try await LoopbackServer(script: { _ in script }).stopping { server in
            let folder = try TemporaryFolder()
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
            }
            let killed = ".\(UUID().uuidString).download"
            let others = [".other.download", "name.download"]
            let held = try HeldFile(in: folder.url, kind: "download")
            let kept = try (others + names()).sorted()
            for name in [killed] + others { try Data("old".utf8).write(to: folder.url.appending(path: name)) }
            let request = try SDMSession.test().get(server)
            let delegate = CollectingDelegate()
            request.delegate = delegate
            request.downloadDestinationPath = folder.url.appending(path: "target").path
            request.startAsynchronous()
            try await delegate.bytes.wait { $0.count == 4 }
            let new = try names().filter { !kept.contains($0) }
            #expect(new.count == 1 && new != [killed])
            #expect(try FileStatus(at: folder.url.appending(path: new[0]).path).mode == 0o600)
            gate.open()
            #expect(await request.ended() == nil)
            #expect(try names() == (kept + ["target"]).sorted())
            // As any other new file of the process.
            try Data().write(to: folder.url.appending(path: "plain"))
            let modes = try ["target", "plain"].map { try FileStatus(at: folder.url.appending(path: $0).path).mode }
            #expect(modes[0] == modes[1])
            held.delete()
        }
    }

    @Test func `S28: a destination that cannot be written fails with 8, also for a compressed response`() async throws {
        let compressed = try await ContentCoding.gzip.encode(.text("text")).collect()
        for isCompressed in [false, true] {
            try await LoopbackServer { request in
                guard isCompressed else { return request.response(text: "text") }
                return request.response(fields: try HTTPFields(["Content-Encoding": "gzip"]), body: compressed)
            }.stopping { server in
                let folder = try TemporaryFolder()
                let request = try SDMSession.test().get(server)
                let delegate = LoggingDelegate()
                request.delegate = delegate
                request.downloadDestinationPath = folder.url.appending(path: "missing/target").path
                let error = try #require(await request.ended())
                #expect(error.errorCode == 8 && error.message.contains("Cannot write"))
                try await #expect(delegate.ended() == ["started", "failed 8"])
            }
        }
    }
}

/// Cancels the request when its body begins.
private final class CancellingDelegate: SDMHttpRequestDelegate, Sendable {
    func request(_ request: SDMHttpRequest, didReceive data: Data) { request.cancel() }
}
