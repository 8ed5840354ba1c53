import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct TransportUploadTests {
    private static let content = bytes(100_000)
    private let folder = try? TemporaryFolder()

    private func endpoint() throws -> URL { try #require(URL(string: "http://files.example/films")) }
    private static func transport(_ shelf: UploadShelf) -> FakeTransport {
        FakeTransport { try await shelf.respond(to: $0) }
    }

    /// The content as a file, from its second byte on, and as bytes.
    private func bodies() throws -> [HTTPBody] {
        let file = try #require(folder).url.appending(path: "film")
        try (Data([0]) + Self.content).write(to: file)
        return [.bytes(Self.content), try .file(at: file, range: 1..<100_001)]
    }

    @Test(arguments: [UploadProtocol.ietf, .tus]) func `12: an upload is created and filled`(kind: UploadProtocol)
        async throws
    {
        for body in try bodies() {
            let shelf = UploadShelf(kind.kind)
            let response = try await Self.transport(shelf).upload(
                body, to: endpoint(), resuming: kind, options: UploadOptions { $0.metadata = ["filename": "film 1"] })
            #expect(shelf.complete == [Self.content] && shelf.methods == ["POST", "PATCH"])
            #expect(response.status == (kind == .ietf ? .created : .noContent))
            let (create, send) = (shelf.requests[0], shelf.requests[1])
            #expect(create.fields["Upload-Length"] == "100000" && send.fields["Upload-Offset"] == "0")
            if kind == .ietf {
                #expect(create.fields["Upload-Complete"] == "?0" && send.fields["Upload-Complete"] == "?1")
                #expect(send.fields[.contentType] == "application/partial-upload")
            } else {
                #expect(create.fields["Tus-Resumable"] == "1.0.0" && send.fields["Tus-Resumable"] == "1.0.0")
                #expect(create.fields["Upload-Metadata"] == "filename ZmlsbSAx")
                #expect(send.fields[.contentType] == "application/offset+octet-stream")
            }
        }
    }

    @Test(arguments: [UploadProtocol.ietf, .tus])
    func `12: a server that takes no bytes is asked after waits, and ends the call after all attempts`(
        kind: UploadProtocol
    ) async throws {
        let (methods, clock) = (Watched<[String]>([]), ManualClock())
        let transport = FakeTransport { request in
            methods.update { $0.append(request.method.name) }
            guard methods.value.count < 50 else { throw TransportError(.unsupported, "Without end.") }
            let fields = try HTTPFields(["Upload-Offset": "0", "Location": "/films/1"])
            return request.response(request.method == .post ? .created : .noContent, fields: fields)
        }
        let error = await #expect(throws: UploadError.self) {
            try await clock.autoAdvancing {
                try await transport.upload(
                    .bytes(Self.content), to: endpoint(), resuming: kind,
                    options: UploadOptions { $0.maximumPartBytes = 50_000 }, clock: clock)
            }
        }
        #expect(error?.head?.status == .noContent && error?.code == .unexpectedOffset)
        #expect(error?.message.hasPrefix("Server took no byte of a part") == true)
        #expect(methods.value == ["POST"] + (0..<10).flatMap { _ in ["PATCH", "HEAD"] })
        #expect(clock.now.offset > .seconds(5))
    }

    @Test(arguments: [UploadProtocol.ietf, .tus]) func `12: after a cut the rest is sent from the server's offset`(
        kind: UploadProtocol
    ) async throws {
        let shelf = UploadShelf(kind.kind)
        let (log, clock) = (EventLog(), ManualClock())
        shelf.cut([30_000, 0, 20_000])
        let bodies = try bodies()
        _ = try await clock.autoAdvancing {
            try await Self.transport(shelf).upload(
                bodies[1], to: endpoint(), resuming: kind, observer: log, clock: clock)
        }
        #expect(shelf.complete == [Self.content])
        let parts = shelf.requests.filter { $0.method == .patch }
        #expect(parts.compactMap { $0.fields["Upload-Offset"] } == ["0", "30000", "30000", "50000"])
        #expect(log.events.contains(.sentBytes(100_000, total: 100_000)))
        // Only the response to the last part is lost.
        let other = UploadShelf(kind.kind)
        other.cut([100_000])
        _ = try await clock.autoAdvancing {
            try await Self.transport(other).upload(bodies[0], to: endpoint(), resuming: kind, clock: clock)
        }
        #expect(other.methods == ["POST", "PATCH", "HEAD"] && other.complete == [Self.content])
    }

    @Test func `12: the error of an upload that is interrupted again and again has all attempts`() async throws {
        let clock = ManualClock()
        let parts = Mutex(0)
        let transport = FakeTransport { request in
            switch request.method {
            case .post: return request.response(.created, fields: try HTTPFields(["Location": "/u"]))
            case .head: return request.response(.noContent, fields: try HTTPFields(["Upload-Offset": "0"]))
            default:
                let number = parts.withLock { count in
                    count += 1
                    return count
                }
                guard number > 1 else { return request.response(.serviceUnavailable) }
                throw TransportError(.connectionLost, "Cut.", request: request)
            }
        }
        let error = try await transportError {
            try await clock.autoAdvancing {
                try await transport.upload(
                    .bytes(Self.content), to: endpoint(), resuming: .tus,
                    options: UploadOptions { $0.maximumAttempts = 3 }, clock: clock)
            }
        }
        #expect(error.attempts.map(\.backoff) == [.milliseconds(200), .milliseconds(400), nil])
        #expect(error.attempts.first?.cause == .status(.serviceUnavailable))
        #expect(error.description.contains("Cut, after 3 attempts with 0.6 s of backoff."))
    }

    /// A server whose responses to parts are a status, until it has all of them; it keeps what they bring.
    private func busy(_ fields: HTTPFields, keeping kept: Int, _ times: Watched<[String]>, _ clock: ManualClock)
        -> FakeTransport
    {
        let stored = Mutex(0)
        return FakeTransport { request in
            times.update { $0.append("\(request.method) \(clock.now.offset / .milliseconds(1))") }
            let count = try await request.body.collect().count
            switch request.method {
            case .post: return request.response(.created, fields: try HTTPFields(["Location": "/u"]))
            case .head:
                let offset = stored.withLock(\.self)
                return request.response(.noContent, fields: try HTTPFields(["Upload-Offset": "\(offset)"]))
            default:
                stored.withLock { $0 += min(count, kept) }
                return request.response(.serviceUnavailable, fields: fields)
            }
        }
    }

    @Test func `12: a busy server gets the wait that it asks for, and always one`() async throws {
        let (times, clock) = (Watched<[String]>([]), ManualClock())
        let asking = busy(try HTTPFields(["Retry-After": "120"]), keeping: 100_000, times, clock)
        _ = try await clock.autoAdvancing {
            try await asking.upload(.bytes(Data(count: 150_000)), to: endpoint(), resuming: .tus, clock: clock)
        }
        #expect(
            times.value == [
                "POST 0.0", "PATCH 0.0", "HEAD 120000.0", "PATCH 120200.0", "HEAD 240200.0",
            ])
        let (later, next) = (Watched<[String]>([]), ManualClock())
        let limited = busy(HTTPFields(), keeping: 1 << 20, later, next)
        _ = try await next.autoAdvancing {
            try await limited.upload(.bytes(Data(count: 3 << 20)), to: endpoint(), resuming: .tus, clock: next)
        }
        #expect(
            later.value == [
                "POST 0.0", "PATCH 0.0", "HEAD 0.0", "PATCH 200.0", "HEAD 200.0", "PATCH 400.0", "HEAD 400.0",
            ])
    }

    @Test(arguments: [("601", nil), ("120", 100), ("Sun, 06 Nov 2094 08:49:37 GMT", nil)] as [(String, Int?)])
    func `12: a wait that is too long ends the call`(retryAfter: String, total: Int?) async throws {
        let (times, clock) = (Watched<[String]>([]), ManualClock())
        let server = busy(try HTTPFields(["Retry-After": retryAfter]), keeping: 10, times, clock)
        let options = UploadOptions { $0.requestOptions.timeouts.total = total.map { .seconds($0) } }
        let error = await #expect(throws: UploadError.self) {
            try await server.upload(
                .bytes(Data(count: 100)), to: endpoint(), resuming: .tus, options: options, clock: clock)
        }
        #expect(error?.code == .unacceptableStatus && error?.head?.fields[.retryAfter] == retryAfter)
        #expect(times.value == ["POST 0.0", "PATCH 0.0"])
    }

    @Test func `12: an observer of details gets those of each part`() async throws {
        struct Detail: DetailEvent { let description = "detail" }
        final class Monitor: TransferObserver {
            let details = Mutex(0)
            var isImmediate: Bool { true }
            func transfer(didEmit event: TransferEvent) {
                if case .layer = event { details.withLock { $0 += 1 } }
            }
        }
        struct Reporting: Transport {
            let base: FakeTransport
            func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
                observer?.report(Detail())
                return try await base.send(request, observer: observer)
            }
        }
        let monitor = Monitor()
        try await Reporting(base: Self.transport(UploadShelf(.tus))).upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus,
            options: UploadOptions { $0.maximumPartBytes = 50_000 }, observer: monitor)
        #expect(monitor.details.withLock(\.self) == 2)
    }

    @Test(arguments: [UploadProtocol.ietf, .tus]) func `12: the next launch continues by the record`(
        kind: UploadProtocol
    ) async throws {
        let shelf = UploadShelf(kind.kind)
        let record = try #require(folder).url.appending(path: "film.upload")
        let options = UploadOptions {
            $0.record = record
            $0.maximumAttempts = 1
        }
        shelf.cut([40_000])
        let bodies = try bodies()
        await #expect(throws: TransportError.self) {
            try await Self.transport(shelf).upload(bodies[1], to: endpoint(), resuming: kind, options: options)
        }
        #expect(UploadRecord(at: record)?.upload == "http://files.example/uploads/1")
        try await Self.transport(shelf).upload(bodies[0], to: endpoint(), resuming: kind, options: options)
        #expect(shelf.methods == ["POST", "PATCH", "HEAD", "PATCH"] && shelf.complete == [Self.content])
        #expect(!FileManager.default.fileExists(atPath: record.path))
    }

    @Test(
        arguments: [("ann", "ann", true), ("ann", "bob", false), (nil, "bob", false), ("ann", nil, false)]
            as [(String?, String?, Bool)])
    func `12: only the user of an upload continues it by the record`(
        first: String?, second: String?, isContinued: Bool
    ) async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        func options(_ user: String?) -> UploadOptions {
            UploadOptions {
                $0.record = record
                $0.maximumAttempts = 1
                $0.requestOptions.cachePartition = user.map { CachePartition($0) }
            }
        }
        let shelf = UploadShelf(.tus)
        shelf.cut([40_000])
        await #expect(throws: TransportError.self) {
            try await Self.transport(shelf).upload(
                .bytes(Self.content), to: endpoint(), resuming: .tus, options: options(first))
        }
        try await Self.transport(shelf).upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus, options: options(second))
        #expect(shelf.methods == ["POST", "PATCH"] + (isContinued ? ["HEAD", "PATCH"] : ["POST", "PATCH"]))
        #expect(shelf.complete == [Self.content])
    }

    @Test func `12: another content, or an upload that is gone, starts over`() async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        let options = UploadOptions {
            $0.record = record
            $0.maximumAttempts = 1
        }
        for isForgotten in [true, false] {
            let shelf = UploadShelf(.tus)
            shelf.cut([40_000])
            await #expect(throws: TransportError.self) {
                try await Self.transport(shelf).upload(
                    .bytes(Self.content), to: endpoint(), resuming: .tus, options: options)
            }
            var next = Self.content
            if isForgotten { shelf.forgetAll() } else { next[99_999] ^= 1 }
            try await Self.transport(shelf).upload(.bytes(next), to: endpoint(), resuming: .tus, options: options)
            #expect(shelf.complete == [next])
            #expect(shelf.methods.filter { $0 == "POST" }.count == 2)
        }
    }

    @Test func `12: parts are within the limit of the server and of the app`() async throws {
        let shelf = UploadShelf(.ietf, limit: 30_000)
        try await Self.transport(shelf).upload(.bytes(Self.content), to: endpoint(), resuming: .ietf)
        #expect(shelf.methods.count == 5 && shelf.complete == [Self.content])
        let other = UploadShelf(.tus)
        try await Self.transport(other).upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus,
            options: UploadOptions { $0.maximumPartBytes = 50_000 })
        #expect(other.methods == ["POST", "PATCH", "PATCH"] && other.complete == [Self.content])
    }

    @Test(arguments: [UploadProtocol.ietf, .tus]) func `12: an empty file`(kind: UploadProtocol) async throws {
        let shelf = UploadShelf(kind.kind)
        try await Self.transport(shelf).upload(.bytes(Data()), to: endpoint(), resuming: kind)
        #expect(shelf.complete == [Data()])
    }

    @Test func `12: an upload whose processing fails is not sent again, and is no success`() async throws {
        let shelf = UploadShelf(.ietf)
        shelf.fail(.internalServerError)
        let folder = try TemporaryFolder()
        let options = UploadOptions { $0.record = folder.url.appending(path: "record") }
        let error = await #expect(throws: UploadError.self) {
            try await Self.transport(shelf).upload(
                .bytes(Self.content), to: endpoint(), resuming: .ietf, options: options)
        }
        #expect(try folder.names.isEmpty)
        #expect(error?.code == .unacceptableStatus && error?.head?.status == .internalServerError)
        #expect(shelf.methods == ["POST", "PATCH"])
    }

    @Test func `12: a field of the app for the metadata is sent`() async throws {
        let shelf = UploadShelf(.tus)
        try await Self.transport(shelf).upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus,
            options: UploadOptions { try? $0.fields.set("Upload-Metadata", to: "draft") })
        #expect(shelf.requests.first?.fields["Upload-Metadata"] == "draft")
    }

    @Test(arguments: [HTTPMethod.post, .head], [true, false])
    func `12: an upload that the server refuses is deleted at its own origin, and its error does not wait for that`(
        refusing method: HTTPMethod, isAtOrigin: Bool
    ) async throws {
        let record = try #require(folder).url.appending(path: "film.upload")
        let upload = isAtOrigin ? "http://files.example/u" : "http://other.example/u"
        let (deletions, gate) = (Watched<[HTTPRequest]>([]), Gate())
        let transport = FakeTransport { request in
            if request.method == .delete {
                deletions.update { $0.append(request) }
                try await gate.wait()
                return request.response(.notFound)
            }
            var fields = try HTTPFields(["Upload-Offset": "0", "Upload-Complete": "?0", "Location": upload])
            if request.method == method { fields["Upload-Limit"] = "max-size=10" }
            return request.response(
                request.method == .post ? .created : .noContent, fields: fields)
        }
        if method == .head {
            let fingerprint = try UploadSource(.bytes(Self.content)).fingerprint()
            try UploadRecord(
                endpoint: endpoint().absoluteString, upload: upload, length: 100_000, fingerprint: fingerprint
            ).write(to: record)
        }
        let options = UploadOptions {
            $0.record = record
            $0.fields[.authorization] = "Bearer s3cret"
            $0.fields[.contentType] = "video/mp4"
        }
        let error = await #expect(throws: UploadError.self) {
            try await transport.upload(.bytes(Self.content), to: endpoint(), resuming: .ietf, options: options)
        }
        #expect(error?.code == .tooLarge)
        #expect(!FileManager.default.fileExists(atPath: record.path))
        guard isAtOrigin else { return #expect(deletions.value.isEmpty) }
        let deletion = try await deletions.wait { !$0.isEmpty }[0]
        #expect(deletion.url.absoluteString == upload && deletion.fields["Upload-Draft-Interop-Version"] != nil)
        #expect(deletion.fields.contains(.authorization) && !deletion.fields.contains(.contentType))
        gate.open()
    }

    @Test func `a server without the protocol, a stream, and a server that loses bytes are errors`() async throws {
        func code(
            _ body: HTTPBody = .bytes(Data(count: 10)),
            _ respond: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
        ) async throws
            -> UploadError.Code?
        {
            await #expect(throws: UploadError.self) {
                let clock = ManualClock()
                try await clock.autoAdvancing {
                    _ = try await FakeTransport { try respond($0) }
                        .upload(body, to: endpoint(), resuming: .tus, clock: clock)
                }
            }?.code
        }
        #expect(try await code { $0.response(.ok) } == .unsupported)
        #expect(try await code { $0.response(.forbidden) } == .unacceptableStatus)
        #expect(try await code { $0.response(.serviceUnavailable) } == .unacceptableStatus)
        #expect(try await code(.stream(AsyncStream<Data> { $0.finish() })) { $0.response() } == .unsupportedBody)
        #expect(
            try await code { request in
                switch request.method {
                case .post: request.response(.created, fields: try HTTPFields(["Location": "/u"]))
                case .patch: request.response(.noContent, fields: try HTTPFields(["Upload-Offset": "99"]))
                default: request.response(.noContent)
                }
            } == .unexpectedOffset)
    }
}
