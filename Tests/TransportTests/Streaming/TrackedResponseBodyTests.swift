import Foundation
import HTTPMessages
import Synchronization
import Testing

@testable import Transport

@Suite struct TrackedResponseBodyTests {
    private struct Broken: Error {}
    private struct Mapped: Error {}

    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock(\.self) }
        func note(_ entry: String) { entries.withLock { $0.append(entry) } }
        func note(_ ending: TrackedResponseBody.Completion) {
            switch ending {
            case .finished: note("finished")
            case .failed(let error): note("\(type(of: error))")
            case .abandoned: note("abandoned")
            }
        }
    }

    /// Two chunks, then an end or an error; logs when the body is released.
    private struct Body: AsyncSequence, Sendable {
        final class Presence: Sendable {
            let log: Log
            init(_ log: Log) { self.log = log }
            deinit { log.note("gone") }
        }
        struct Iterator: AsyncIteratorProtocol {
            let presence: Presence
            let fails: Bool
            var count = 0
            mutating func next() async throws -> Data? {
                count += 1
                if count <= 2 { return Data("\(count)".utf8) }
                if fails { throw Broken() }
                return nil
            }
        }
        let presence: Presence
        let fails: Bool
        func makeAsyncIterator() -> Iterator { Iterator(presence: presence, fails: fails) }
    }

    private func response(_ log: Log, fails: Bool = false) throws -> HTTPResponseStream {
        let head = HTTPResponseHead(status: .ok, url: try URL(httpString: "http://h/"))
        return HTTPResponseStream(head: head, body: Body(presence: .init(log), fails: fails))
            .tracked(onEnd: { log.note($0) }, mapError: { _ in Mapped() })
    }

    @Test func `releases a finished body, then reports its end, then resumes the reader`() async throws {
        let log = Log()
        let response = try response(log)
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() == Data("1".utf8))
        #expect(try await chunks.next() == Data("2".utf8) && log.all == [])
        #expect(try await chunks.next() == nil)
        #expect(log.all == ["gone", "finished"])
        #expect(try await chunks.next() == nil)
        #expect(log.all.count == 2)
    }

    @Test func `reports a failure with the reader's error`() async throws {
        let log = Log()
        let response = try response(log, fails: true)
        await #expect(throws: Mapped.self) { try await response.collect() }
        #expect(log.all == ["gone", "Mapped"])
    }

    @Test func `reports an abandoned body while the response is retained`() async throws {
        let log = Log()
        let response = try response(log)
        for try await _ in response.body { break }
        #expect(log.all == ["gone", "abandoned"])
        withExtendedLifetime(response) {}
    }

    @Test func `reports an unread body when its last copy is released`() throws {
        let log = Log()
        var response: HTTPResponseStream? = try response(log)
        var copy = response
        response = nil
        #expect(log.all == [] && copy != nil)
        copy = nil
        #expect(log.all == ["gone", "abandoned"])
    }
}
