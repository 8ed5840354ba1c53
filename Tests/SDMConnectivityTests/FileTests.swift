import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
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
            request.appendPostData(fromFile: folder.url.appending(path: "missing").path)
            request.appendPost(Data(" after".utf8))
            #expect(request.postLength == 17 && request.postBody == nil)
            #expect(await request.ended() == nil)
            #expect(server.requests.last?.body == Data("before file after".utf8))
        }
    }

    @Test func `S26: a missing body file fails with 8`() async throws {
        let request = SDMSession.test().get(URL(string: "http://example.com/"))
        request.postBodyFilePath = "/missing/file"
        #expect(await request.ended()?.errorCode == 8)
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

    /// A server with 163 bytes that supports ranges as `style` says.
    private func run(
        _ style: String, _ body: (LoopbackServer, TemporaryFolder, Data) async throws -> Void
    ) async throws {
        let content = Data((0..<163).map { UInt8($0) })
        try await LoopbackServer { request in
            guard request.fields[.range] == "bytes=95-", style != "whole" else {
                return request.response(body: content)
            }
            let range = style == "mismatch" ? "bytes 0-67/163" : "bytes 95-162/163"
            let fields = try HTTPFields(["Content-Range": style == "416" ? "bytes */90" : range])
            return request.response(
                style == "416" ? .rangeNotSatisfiable : .partialContent, fields: fields, body: content.dropFirst(95))
        }.stopping { server in
            let folder = try TemporaryFolder()
            try content.prefix(95).write(to: folder.url.appending(path: "partial"))
            try await body(server, folder, content)
        }
    }

    @Test(arguments: ["partial", "whole", "mismatch", "416"])
    func `S27: a download continues where it stopped, or starts again`(style: String) async throws {
        try await run(style) { server, folder, content in
            let request = try SDMSession.test().get(server)
            let log = ProgressLog()
            request.downloadProgressDelegate = log
            let target = folder.url.appending(path: "target")
            try await request.download(to: target, resuming: folder.url.appending(path: "partial"))
            #expect(try Data(contentsOf: target) == content)
            #expect(server.requests.first?.fields[.range] == "bytes=95-")
            #expect(server.requests.first?.fields[.acceptEncoding] == "identity")
            #expect(server.requestCount == (["mismatch", "416"].contains(style) ? 2 : 1))
            #expect(request.contentLength == (style == "partial" ? 68 : 163))
            #expect(request.partialDownloadSize == (style == "partial" ? 95 : 0))
            try await log.finished()
            #expect(log.bytes == 163 && log.size == 163)
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
