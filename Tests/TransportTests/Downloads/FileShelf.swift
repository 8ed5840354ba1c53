import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

@testable import Transport

/// A server of one file that supports ranges, correctly or with a fault.
final class FileShelf: HTTPService {
    enum Manner: Sendable, CaseIterable {
        case right, ignoresRanges, ignoresIfRange, wrongRange, shortRanges, unsatisfiable, weakTag, noTag
    }

    private struct State {
        var content: Data
        var tag = "\"1\""
        var manner: Manner
        var ranges: [String?] = []
    }

    private let state: Mutex<State>

    init(_ content: Data, manner: Manner = .right) { state = Mutex(State(content: content, manner: manner)) }

    /// The `Range` of each request.
    var ranges: [String?] { state.withLock(\.ranges) }

    /// Replaces the file.
    func replace(with content: Data, tag: String = "\"2\"") {
        state.withLock { state in
            state.content = content
            state.tag = tag
        }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let (content, tag, manner) = state.withLock { state in
            state.ranges.append(request.fields[.range])
            return (state.content, state.tag, state.manner)
        }
        var fields = HTTPFields()
        switch manner {
        case .noTag: break
        case .weakTag: try fields.set(.etag, to: "W/\(tag)")
        default: try fields.set(.etag, to: tag)
        }
        let start = request.fields[.range].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) }
        let isSame = manner == .ignoresIfRange || request.fields[.ifRange].map { $0 == tag } ?? true
        guard let start, isSame, manner != .ignoresRanges else {
            return request.response(fields: fields, body: content)
        }
        guard manner != .unsatisfiable, start < content.count else {
            try fields.set(.contentRange, to: "bytes */\(content.count)")
            return request.response(.rangeNotSatisfiable, fields: fields)
        }
        let first = manner == .wrongRange ? max(0, start - 1) : start
        let end = manner == .shortRanges ? min(content.count, first + 20_000) : content.count
        try fields.set(.contentRange, to: "bytes \(first)-\(end - 1)/\(content.count)")
        return request.response(.partialContent, fields: fields, body: Data(content[first..<end]))
    }
}

/// A transport that truncates the first responses.
struct Breaking<Base: StreamingTransport>: StreamingTransport {
    private struct Body: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            var chunks: HTTPBodyChunks.Iterator
            var rest: Int
            mutating func next() async throws -> Data? {
                guard rest > 0 else { throw TransportError(.connectionLost, "It broke off.") }
                let chunk = try await chunks.next()?.prefix(rest)
                rest -= chunk?.count ?? 0
                return chunk
            }
        }
        let chunks: HTTPBodyChunks
        let limit: Int
        func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), rest: limit) }
    }

    let base: Base
    /// The number of bytes after which each response is truncated; further responses are complete.
    let limits: Shared<[Int]>

    init(_ base: Base, after limits: Int...) {
        self.base = base
        self.limits = Shared(limits)
    }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await base.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        let response = try await base.stream(request, observer: observer)
        guard let limit = limits.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return response }
        return HTTPResponseStream(head: response.head, body: Body(chunks: response.body, limit: limit))
    }
}

/// A locked value shared by copies of a struct.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    init(_ value: Value) { mutex = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { mutex.withLock { body(&$0) } }
}
