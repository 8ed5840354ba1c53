import Coordination
import Foundation
import HTTPMessages
import Transport

/// The bytes of a response that arrive under a fault, each piece at its time, and then the fault.
struct FaultyBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        private let body: FaultyBody
        private var pieces = 0
        private var received = 0

        fileprivate init(_ body: FaultyBody) { self.body = body }

        mutating func next() async throws -> Data? {
            let arrival = body.arrival
            let piece = arrival.response.body.dropFirst(received).prefix(arrival.pieceSize)
            let time = arrival.pause * pieces
            guard !piece.isEmpty, pieces == 0 || body.outcome.isRunning(at: time) else {
                try await body.wait(until: body.outcome.delay)
                _ = try body.outcome.result.get()
                return nil
            }
            try await body.wait(until: time)
            pieces += 1
            received += piece.count
            let total = arrival.response.fields[.contentLength].flatMap { Int64($0) }
            body.observer?.transfer(didEmit: .receivedBytes(Int64(received), total: total))
            return Data(piece)
        }
    }

    let arrival: Fault.Outcome.Arrival
    let outcome: Fault.Outcome
    let request: HTTPRequest
    /// A clock that started with the request's arrival.
    let clock: AnyMonotonicClock
    let observer: (any TransferObserver)?

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// - Parameter time: nil for ever.
    private func wait(until time: Duration?) async throws {
        do {
            try Task.checkCancellation()
            guard let time else { return try await Gate().wait() }
            if time > clock.now { try await clock.sleep(until: time) }
        } catch {
            throw TransportError.cancelled(request, head: arrival.response.head)
        }
    }
}
