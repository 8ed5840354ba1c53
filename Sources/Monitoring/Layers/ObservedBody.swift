import Foundation
import HTTPMessages
import Synchronization
import Transport

/// A streamed body whose end is reported once, with the number of bytes and the first ones.
///
/// The underlying body is released before the report. The reader gets the end when the observer of the app has got all
/// events, or at the end of the total timeout.
struct ObservedBody: AsyncSequence, Sendable {
    typealias Report = @Sendable (ObservedEnd.Outcome, _ received: Int64?, _ start: Data) -> Void

    /// Shared by the sequence and its iterator; reports the end, or that the last owner has released it.
    private final class Tracker: Sendable {
        private struct State {
            /// The body, until an iterator is made.
            var chunks: HTTPBodyChunks?
            var report: Report?
            var count: Int64 = 0
            var start = Data()
        }
        let app: AppObserver
        private let bodyLimit: Int
        private let state: Mutex<State>

        init(_ chunks: HTTPBodyChunks, _ app: AppObserver, bodyLimit: Int, _ report: @escaping Report) {
            self.app = app
            self.bodyLimit = bodyLimit
            state = Mutex(State(chunks: chunks, report: report))
        }

        deinit { end(.abandoned) }

        func open() -> HTTPBodyChunks.Iterator? { state.withLock { $0.chunks.take() }?.makeAsyncIterator() }

        func received(_ chunk: Data) {
            state.withLock { state in
                state.count += Int64(chunk.count)
                if state.start.count < bodyLimit { state.start += chunk.prefix(bodyLimit - state.start.count) }
            }
        }

        func end(_ outcome: ObservedEnd.Outcome) {
            // The body is released after unlocking, since that may call out, and before the report.
            let (chunks, report, count, start) = state.withLock { state in
                (state.chunks.take(), state.report.take(), state.count, state.start)
            }
            _ = consume chunks
            guard let report else { return }
            // More than the reader has read may have been received.
            if case .completed = outcome { report(outcome, count, start) } else { report(outcome, nil, start) }
            if case .abandoned = outcome { app.abandon() }
        }
    }

    /// Reads the body and reports its end.
    final class Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPBodyChunks.Iterator?
        private let tracker: Tracker

        fileprivate init(_ body: ObservedBody) {
            chunks = body.tracker.open()
            tracker = body.tracker
        }

        deinit { end(.abandoned) }

        /// The next chunk; nil at the end.
        /// - Throws: the body's error.
        func next() async throws -> Data? {
            guard var reading = chunks.take() else { return nil }
            do {
                if let chunk = try await reading.next() {
                    tracker.received(chunk)
                    chunks = reading
                    return chunk
                }
            } catch {
                _ = consume reading
                end(.failed(error))
                await tracker.app.finish()
                throw error
            }
            _ = consume reading
            end(.completed)
            await tracker.app.finish()
            return nil
        }

        private func end(_ outcome: ObservedEnd.Outcome) {
            chunks = nil
            tracker.end(outcome)
        }
    }

    private let tracker: Tracker

    fileprivate init(
        _ chunks: HTTPBodyChunks, _ app: AppObserver, bodyLimit: Int, _ report: @escaping Report
    ) {
        tracker = Tracker(chunks, app, bodyLimit: bodyLimit, report)
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPResponseStream {
    /// The same response with a body that reports its end.
    func observed(_ app: AppObserver, bodyLimit: Int, _ report: @escaping ObservedBody.Report) -> HTTPResponseStream {
        HTTPResponseStream(head: head, body: ObservedBody(body, app, bodyLimit: bodyLimit, report))
    }
}

extension Data {
    /// The first bytes, in a buffer of their own if they are not all.
    func start(_ limit: Int) -> Data { limit == 0 ? Data() : count <= limit ? self : Data(prefix(limit)) }
}
