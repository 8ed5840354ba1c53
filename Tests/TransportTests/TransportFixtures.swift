import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

/// Answers with what it was sent.
let echo = ClosureService { request in request.reply(body: try await request.body.collect()) }

/// Does something with a server and a transport whose deadlines never come, and stops the server.
func withServer<Result>(
    plan: @escaping @Sendable (RecordedRequest) async -> FaultPlan,
    _ body: (LoopbackServer, URLSessionTransport) async throws -> Result
) async throws -> Result {
    try await LoopbackServer(plan: plan).stopping(after: {
        try await body($0, URLSessionTransport(clock: ManualClock()))
    })
}

/// Does something with a server and a transport whose deadlines never come, and stops the server.
func withServer<Result>(
    answering service: some HTTPService = echo, means: BodyUpload.Means = .platform,
    _ body: (LoopbackServer, URLSessionTransport) async throws -> Result
) async throws -> Result {
    try await LoopbackServer(service: service).stopping(after: {
        try await body($0, URLSessionTransport(clock: ManualClock(), means: means))
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

/// The transport's error that `body` ends with.
func transportError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> some Sendable
) async throws -> TransportError {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) { _ = try await body() }
    return try #require(error, sourceLocation: sourceLocation)
}

typealias EventLog = EventRecorder

/// A reader of a test's own making.
final class ClosureReader: HTTPBodyReader {
    private let next: (Int) throws -> Data?
    init(_ next: @escaping (Int) throws -> Data?) { self.next = next }
    func read(atMost count: Int) throws -> Data? { try next(count) }

    /// A body of these pieces, each as it is.
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

/// Some URL, for heads that come from nowhere.
let echoURL = URL(filePath: "/")

extension BodyUpload.Means {
    /// Those with which tests send requests.
    ///
    /// Foundation on Linux ends the process when a task that sends a file ends before the file was read to its end
    /// (`_BodyFileSource.readNextChunk`, EasyHandle.swift:484: `try!`), so files are sent on Apple's platforms only.
    static var sent: [BodyUpload.Means] {
        #if canImport(Darwin)
            allCases
        #else
            [.streams]
        #endif
    }
}
