import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import SystemLibraries
import TestSupport
import Testing

@testable import Transport

/// A new URL for the same file, digests, and names in a folder.
@Suite(.needsSlot) struct DownloadRenewalTests {
    private static let content = bytes(100_000)
    private let folder = try? TemporaryFolder()

    private func file(_ name: String) throws -> URL { try #require(folder).url.appending(path: name) }

    private static func digest(_ data: Data = content) throws -> Data {
        Data(try MessageDigest.digest(of: Array(data), .sha256))
    }

    /// A server of a file by signed URLs, of which one is valid at a time; each response ends after some bytes.
    private static func signed(_ valid: Watched<String>, _ sent: Watched<[HTTPRequest]>, cutAt bytes: Int)
        -> some StreamingTransport
    {
        let shelf = FileShelf(content)
        return Cutting(
            base: ServiceTransport { request in
                sent.update { $0.append(request) }
                guard request.url.query() == valid.value else { return request.response(.forbidden) }
                return try await shelf.respond(to: request)
            }, bytes: bytes)
    }

    /// Ends each body after a number of bytes, and makes the URL expire then.
    private struct Cutting<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        let bytes: Int

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            let response = try await base.stream(request, observer: observer)
            guard response.head.status.isSuccessful else { return response }
            let chunks = AsyncThrowingStream<Data, any Error> { continuation in
                Task {
                    var left = bytes
                    for try await chunk in response.body {
                        continuation.yield(chunk.prefix(left))
                        left -= min(left, chunk.count)
                        guard left > 0 else {
                            return continuation.finish(
                                throwing: TransportError(.connectionLost, "Cut.", request: request))
                        }
                    }
                    continuation.finish()
                }
            }
            return HTTPResponseStream(head: response.head, body: chunks)
        }
    }

    @Test func `11: a download continues by a new URL for the same file`() async throws {
        let (valid, sent) = (Watched("sig=1"), Watched<[HTTPRequest]>([]))
        let transport = Self.signed(valid, sent, cutAt: 40_000)
        var request = try HTTPRequest(.get, "http://files.example/report?sig=1")
        try request.fields.set(.authorization, to: "Bearer s3cret")
        let renewals = Watched(0)
        let options = DownloadOptions(resumes: true, maximumAttempts: 3, identity: "report 7")
        // Each URL is good for one response.
        let first = try await #require(throws: TransportError.self) {
            try await transport.download(
                request, to: file("report"), options: DownloadOptions(resumes: true, identity: "report 7"))
        }
        #expect(first.code == .connectionLost)
        valid.update { $0 = "sig=2" }
        let clock = ManualClock()
        let done = try await clock.autoAdvancing {
            try await transport.download(
                request, to: file("report"), options: options,
                renewingURL: { head in
                    #expect(head.status == .forbidden)
                    renewals.update { $0 += 1 }
                    return URL(string: "http://other.example/report?sig=2")
                }, clock: clock)
        }
        #expect(done.resumedBytes == 40_000 && done.byteCount == 100_000)
        #expect(try Data(contentsOf: file("report")) == Self.content)
        #expect(renewals.value == 1)
        let requests = sent.value
        #expect(requests.map { $0.fields[.range] }.prefix(3) == [nil, "bytes=40000-", "bytes=40000-"])
        #expect(requests.filter { $0.url.host() == "other.example" }.allSatisfy { !$0.fields.contains(.authorization) })
        #expect(try #require(folder).names == ["report"])
    }

    @Test func `11: without a new URL, and with too many, the download ends`() async throws {
        let transport = ServiceTransport { $0.response(.gone) }
        let request = try HTTPRequest(.get, "http://files.example/report")
        let count = Watched(0)
        for next in [nil, URL(string: "http://files.example/other")] {
            count.update { $0 = 0 }
            let error = await #expect(throws: DownloadError.self) {
                try await transport.download(
                    request, to: file("report"), options: DownloadOptions(maximumAttempts: 3),
                    renewingURL: { _ in
                        count.update { $0 += 1 }
                        return next
                    })
            }
            #expect(error?.code == .unacceptableStatus && error?.head?.status == .gone)
            #expect(count.value == (next == nil ? 1 : 3))
        }
        #expect(try #require(folder).names.isEmpty)
    }

    @Test(arguments: [true, false]) func `11: the server's digest is checked (RFC 9530)`(isRight: Bool) async throws {
        let digest = try Self.digest(isRight ? Self.content : Data("other".utf8)).base64EncodedString()
        let wanted = Watched<String?>(nil)
        let transport = ServiceTransport { request in
            wanted.update { $0 = request.fields["Want-Repr-Digest"] }
            #expect(request.fields[.acceptEncoding] == "identity")
            return request.response(
                fields: try HTTPFields(["Repr-Digest": "sha-512=:AAAA:, sha-256=:\(digest):"]), body: Self.content)
        }
        let request = try HTTPRequest(.get, "http://files.example/report")
        for check in [DownloadDigest.checkedIfSent, .required] {
            let call = {
                try await transport.download(request, to: file("report"), options: DownloadOptions(digest: check))
            }
            if isRight {
                #expect(try await call().byteCount == 100_000)
            } else {
                #expect(await #expect(throws: DownloadError.self) { try await call() }?.code == .digestMismatch)
                #expect(try #require(folder).names.isEmpty)
            }
        }
        #expect(wanted.value == "sha-256=10")
    }

    @Test func `11: the digest of the whole file is not compared with a part, nor with decoded bytes`() async throws {
        let digest = try HTTPFields(["Repr-Digest": "sha-256=:\(Self.digest().base64EncodedString()):"])
        let transport = ServiceTransport { request in
            guard request.fields.contains(.range) else {
                var head = HTTPResponseHead(status: .ok, fields: digest, url: request.url)
                head.decodedContentCodings = "gzip"
                return HTTPResponse(head: head, body: Data("decoded".utf8))
            }
            return request.response(.partialContent, fields: digest, body: Self.content.prefix(100))
        }
        for fields in [HTTPFields(), try HTTPFields(["Range": "bytes=0-99"])] {
            let request = try HTTPRequest(.get, "http://files.example/report", fields: fields)
            let file = try await transport.download(
                request, to: file("report"), options: DownloadOptions(digest: .checkedIfSent))
            #expect(file.byteCount == (fields.isEmpty ? 7 : 100))
            let error = await #expect(throws: DownloadError.self) {
                try await transport.download(
                    request, to: self.file("other"), options: DownloadOptions(digest: .required))
            }
            #expect(error?.code == .noDigest)
        }
    }

    @Test func `11: a digest that the app knows, and a missing one`() async throws {
        let transport = ServiceTransport { $0.response(body: Self.content) }
        let request = try HTTPRequest(.get, "http://files.example/report")
        func code(_ digest: DownloadDigest) async throws -> DownloadError.Code? {
            do {
                try await transport.download(
                    request, to: file("report"), options: DownloadOptions(resumes: true, digest: digest))
                return nil
            } catch let error as DownloadError { return error.code }
        }
        #expect(try await code(.sha256(Self.digest())) == nil)
        #expect(try await code(.checkedIfSent) == nil)
        #expect(try await code(.required) == .noDigest)
        #expect(try await code(.sha256(Data(count: 32))) == .digestMismatch)
    }

    @Test(arguments: [
        (nil as String?, "/files/report.pdf", "report.pdf"),
        ("attachment; filename=\"Report 7.pdf\"", "/x", "Report 7.pdf"),
        ("attachment; filename*=UTF-8''%e2%82%ac.txt", "/x", "€.txt"),
        ("attachment; filename=\"../../etc/passwd\"", "/x", "passwd"),
        ("attachment; filename=\"setup.bin.patchbay-record\"", "/x", "setup.bin"),
        ("attachment; filename=\"a.Patchbay-PARTIAL.patchbay-record\"", "/x", "a"),
        (nil, "/a.patchbay-partial", "a"),
        (
            nil, "/" + String(repeating: "a", count: 184) + ".patchbay-recordXX." + String(repeating: "y", count: 21),
            String(repeating: "a", count: 184)
        ),
        (nil, "/", "download"), ("attachment; filename=\".hidden\"", "/x", "hidden"), (nil, "/a%2F..%2Fb", "b"),
    ])
    func `11: the name of a file is the server's`(disposition: String?, path: String, name: String) async throws {
        let transport = ServiceTransport { request in
            var fields = HTTPFields()
            if let disposition { try fields.set(.contentDisposition, to: disposition) }
            return request.response(fields: fields, body: Data("content".utf8))
        }
        let folder = try #require(folder)
        let file = try await transport.download(
            HTTPRequest(.get, "http://files.example\(path)"), intoFolder: folder.url)
        #expect(file.url.lastPathComponent == name)
        #expect(try folder.names == [name])
    }

    @Test func `11: a file that exists is not replaced, and an interrupted download is found again`() async throws {
        let shelf = FileShelf(Self.content)
        let folder = try #require(folder)
        let request = try HTTPRequest(.get, "http://files.example/report.pdf")
        let options = DownloadOptions(resumes: true)
        let cutting = Cutting(base: ServiceTransport(shelf), bytes: 30_000)
        await #expect(throws: TransportError.self) {
            try await cutting.download(request, intoFolder: folder.url, options: options)
        }
        let resumed = try await ServiceTransport(shelf).download(request, intoFolder: folder.url, options: options)
        #expect(resumed.resumedBytes == 30_000)
        try await ServiceTransport(shelf).download(request, intoFolder: folder.url)
        #expect(try folder.names == ["report 2.pdf", "report.pdf"])
    }

    @Test(arguments: [true, false]) func `11: a resumed download keeps the name of its first response`(
        isOneCall: Bool
    ) async throws {
        let shelf = FileShelf(Self.content)
        let service = ServiceTransport { request in
            var response = try await shelf.respond(to: request)
            // By RFC 9110, section 15.3.7, a 206 has no fields that the client knows.
            if response.status == .ok {
                response.head.fields[.contentDisposition] = "attachment; filename=\"Report.pdf\""
            }
            return response
        }
        let folder = try #require(folder)
        let request = try HTTPRequest(.get, "http://files.example/export?id=7")
        let breaking = Breaking(service, after: 30_000)
        let clock = ManualClock()
        if !isOneCall {
            await #expect(throws: TransportError.self) {
                try await breaking.download(
                    request, intoFolder: folder.url, options: DownloadOptions(resumes: true), clock: clock)
            }
        }
        let file = try await clock.autoAdvancing {
            try await breaking.download(request, intoFolder: folder.url, options: .retrying, clock: clock)
        }
        #expect(shelf.ranges.count == 2 && file.byteCount == 100_000)
        #expect(try folder.names == ["Report.pdf"])
    }

    @Test func `11: a file that cannot be given its name is deleted`() async throws {
        let folder = try #require(folder)
        // All names that it could get.
        for number in 1...10_000 {
            let url = folder.url.appending(path: number == 1 ? "x" : "x \(number)")
            #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        }
        let transport = ServiceTransport { $0.response(body: Data("content".utf8)) }
        let error = await #expect(throws: DownloadError.self) {
            try await transport.download(HTTPRequest(.get, "http://files.example/x"), intoFolder: folder.url)
        }
        #expect(error?.code == .fileFailure)
        #expect(try folder.names.count == 10_000)
    }

    @Test func `11: a file that is gone gets no other name`() throws {
        let folder = try #require(folder)
        #expect(FileManager.default.createFile(atPath: folder.path("x"), contents: nil))
        let error = #expect(throws: DownloadError.self) {
            try DownloadName.move(folder.url.appending(path: "gone"), named: "x", to: folder.url)
        }
        #expect(error?.message.contains(#""x""#) == true)
    }

    /// Runs the jobs of an actor on a queue that a test can suspend.
    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "patchbay.tests.downloads")
        let jobCount = Watched(0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobCount.update { $0 += 1 }
            queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    private actor Caller {
        let executor: QueueExecutor

        init(_ executor: QueueExecutor) { self.executor = executor }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func download(_ request: HTTPRequest, into folder: URL, by transport: some StreamingTransport) async throws
            -> DownloadedFile
        {
            try await transport.download(request, intoFolder: folder, options: .retrying)
        }
    }

    @Test func `11: two calls for the same file have their own, also while the actor of the first is busy`()
        async throws
    {
        let folder = try #require(folder)
        let executor = QueueExecutor()
        let (requestCount, firstJobs) = (Watched(0), Watched<Int?>(nil))
        let transport = ServiceTransport { request in
            let number = requestCount.update { count in
                count += 1
                return count
            }
            if number == 1 {
                executor.queue.suspend()
                firstJobs.update { $0 = executor.jobCount.value }
            }
            return request.response(fields: try HTTPFields(["ETag": "\"\(number)\""]), body: Data("\(number)".utf8))
        }
        let request = try HTTPRequest(.get, "http://files.example/report.pdf")
        let first = Task { try await Caller(executor).download(request, into: folder.url, by: transport) }
        let jobs = try await firstJobs.wait { $0 != nil } ?? 0
        // The first download has ended, and its call waits for the actor.
        try await executor.jobCount.wait { $0 > jobs }
        let second = Task { try await transport.download(request, intoFolder: folder.url, options: .retrying) }
        _ = await second.result
        executor.queue.resume()
        let files = [try await first.value, try await second.value]
        #expect(files.map(\.url.lastPathComponent) == ["report.pdf", "report 2.pdf"])
        for (file, number) in zip(files, ["1", "2"]) {
            #expect(file.head.fields[.etag] == "\"\(number)\"")
            #expect(try String(contentsOf: file.url, encoding: .utf8) == number)
        }
        #expect(try folder.names == ["report 2.pdf", "report.pdf"])
    }
}
