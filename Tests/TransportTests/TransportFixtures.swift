import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

/// Echoes the request.
let echo = ClosureService { request in request.response(body: try await request.body.collect()) }

/// Runs `body` with a server and a transport whose timeouts never expire, then stops the server.
func withServer<Result>(
    script: @escaping @Sendable (RecordedRequest) async -> ServerScript,
    _ body: (LoopbackServer, URLSessionTransport) async throws -> Result
) async throws -> Result {
    try await LoopbackServer(script: script).stopping(after: {
        try await body($0, URLSessionTransport(clock: ManualClock()))
    })
}

/// Runs `body` with a server and a transport whose timeouts never expire, then stops the server.
func withServer<Result>(
    service: some HTTPService = echo, support: RequestBodyUpload.Support = .platform,
    _ body: (LoopbackServer, URLSessionTransport) async throws -> Result
) async throws -> Result {
    try await LoopbackServer(service: service).stopping(after: {
        try await body($0, URLSessionTransport(clock: ManualClock(), support: support))
    })
}

extension LoopbackServer {
    func request(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        timeouts: Timeouts = Timeouts(), limit: Int = 64 << 20
    ) throws -> HTTPRequest {
        try HTTPRequest(
            method, url(of: path), fields: fields, body: body,
            options: RequestOptions(timeouts: timeouts, maximumResponseBytes: limit))
    }
}

/// The transport error that `body` throws.
func transportError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Sendable
) async throws -> TransportError {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { _ = try await body() }
    return try #require(error, sourceLocation: sourceLocation)
}

typealias EventLog = EventRecorder

/// A body reader that returns given chunks.
final class ClosureReader: HTTPBodyReader {
    private let next: (Int) throws -> Data?
    init(_ next: @escaping (Int) throws -> Data?) { self.next = next }
    func read(atMost count: Int) throws -> Data? { try next(count) }

    /// A body of these chunks, unmerged.
    static func pieces(_ pieces: [Data], length: Int64? = nil) -> HTTPBody {
        .generated(length: length) {
            var rest = pieces[...]
            return ClosureReader { _ in rest.popFirst() }
        }
    }
}

func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var generator = SeededGenerator(seed: seed)
    var data = Data(capacity: count + 8)
    while data.count < count { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
    return data.prefix(count)
}

func stream(_ pieces: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
    }
}

extension TemporaryFolder {
    /// Returns when the folder has no files.
    ///
    /// Polls, because the engine deletes the file of a body some time after its request has ended, without an event.
    func waitUntilEmpty(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("the folder is empty", sourceLocation: sourceLocation) { try names.isEmpty }
    }
}

/// A URL for response heads.
let echoURL = URL(filePath: "/")
