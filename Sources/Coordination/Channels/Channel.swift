import Synchronization

/// A bounded FIFO between one producer and one consumer, each a task that suspends or a thread that blocks.
///
/// The producer waits for room, then sends; the consumer takes the elements in order, then the end or the error. Each
/// end has an async and a blocking form:
///
/// ```swift
/// let channel = Channel<Data>(capacity: 256 << 10) { $0.count }
/// // In a task, which suspends while the channel is full:
/// await channel.send(contentsOf: body)
/// // On a thread, which blocks while it is empty:
/// while let chunk = try channel.blockingNext() { parse(chunk) }
/// ```
///
/// With a capacity of 0, the producer goes on only while the consumer waits (rendezvous).
package final class Channel<Element: Sendable>: Sendable {
    private struct State {
        var machine: ChannelState<Element>
        var producer: Promise<Void>?
        var consumer: Promise<Void>?
    }

    private let cost: @Sendable (Element) -> Int
    private let state: Mutex<State>

    /// Creates an empty channel.
    /// - Parameters:
    ///   - capacity: the cost of the elements at which the channel is full. The last element may exceed it.
    ///   - cost: the cost of an element, such as its number of bytes; default 1.
    package init(capacity: Int, cost: @escaping @Sendable (Element) -> Int = { _ in 1 }) {
        self.cost = cost
        state = Mutex(State(machine: ChannelState(capacity: capacity)))
    }

    // MARK: Producer

    /// Suspends while the channel is full.
    /// - Returns: false if the channel takes no more elements, or if the task is cancelled.
    package func room() async -> Bool {
        while !Task.isCancelled {
            guard let wait = waitForRoom() else { return hasRoom }
            // Cancellation wakes the producer, which looks again.
            await wait.value { wait.fulfill(()) }
        }
        return false
    }

    /// Blocks the calling thread while the channel is full.
    /// - Returns: false if the channel takes no more elements.
    package func blockingRoom() -> Bool {
        while let wait = waitForRoom() { wait.blockingValue() }
        return hasRoom
    }

    /// Adds an element. It does not wait: call it once after each ``room()``.
    /// - Returns: false if the channel takes no more elements.
    @discardableResult
    package func send(_ element: Element) -> Bool {
        let cost = cost(element)
        return update { $0.send(element, cost: cost) }
    }

    /// Sends all elements of a sequence, then its end or its error; stops early once the consumer has closed the
    /// channel.
    ///
    /// When the task is cancelled, the consumer gets `CancellationError` at once.
    package func send<Elements: AsyncSequence>(contentsOf elements: Elements) async where Elements.Element == Element {
        await withTaskCancellationHandler {
            do {
                var iterator = elements.makeAsyncIterator()
                while await room(), let element = try await iterator.next(isolation: nil) { send(element) }
                // A cancelled sequence may end as if it were complete.
                finish(Task.isCancelled ? CancellationError() : nil)
            } catch {
                finish(error, dropsElements: true)
            }
        } onCancel: {
            finish(CancellationError(), dropsElements: true)
        }
    }

    /// Ends the producer's side; only the first call has an effect.
    /// - Parameters:
    ///   - error: what the consumer gets at the end.
    ///   - dropsElements: true if the consumer gets the error in place of the elements that it has not taken.
    package func finish(_ error: (any Error)? = nil, dropsElements: Bool = false) {
        update { $0.finish(error, dropsElements: dropsElements) }
    }

    // MARK: Consumer

    /// Suspends until there is an element; nil at the end.
    /// - Parameter onCancel: called when the task is cancelled; has to end the wait, by ``close()`` or by making the
    ///   producer end. Nil ends the channel with `CancellationError`.
    /// - Throws: the error of the producer, once.
    package func next(
        isolation actor: isolated (any Actor)? = #isolation, onCancel: (@Sendable () -> Void)? = nil
    ) async throws -> Element? {
        while true {
            switch take() {
            case .ready(let result): return try result.get()
            case .wait(let wait):
                await wait.value(isolation: actor) {
                    if let onCancel { onCancel() } else { finish(CancellationError(), dropsElements: true) }
                }
            }
        }
    }

    /// Blocks the calling thread until there is an element; nil at the end.
    /// - Throws: the error of the producer, once.
    package func blockingNext() throws -> Element? {
        while true {
            switch take() {
            case .ready(let result): return try result.get()
            case .wait(let wait): wait.blockingValue()
            }
        }
    }

    /// Ends the consumer's side: the elements are dropped, and the producer stops.
    package func close() { update { $0.close() } }

    // MARK: State

    private enum Step {
        case ready(Result<Element?, any Error>)
        case wait(Promise<Void>)
    }

    /// True while the channel takes an element without a wait.
    package var hasRoom: Bool { state.withLock { $0.machine.room == .free } }

    /// A promise that is fulfilled when there may be room; nil if no wait is needed.
    private func waitForRoom() -> Promise<Void>? {
        state.withLock { state in
            guard state.machine.room == .wait else { return nil }
            let wait = Promise<Void>()
            state.producer = wait
            return wait
        }
    }

    private func take() -> Step {
        update { machine, consumer in
            switch machine.take() {
            case .element(let element): return .ready(.success(element))
            case .end(nil): return .ready(.success(nil))
            case .end(let error?): return .ready(.failure(error))
            case .wait:
                // A second consumer gets the end.
                guard consumer == nil else { return .ready(.success(nil)) }
                let wait = Promise<Void>()
                consumer = wait
                return .wait(wait)
            }
        }
    }

    @discardableResult
    private func update<Result: Sendable>(_ change: (inout ChannelState<Element>) -> Result) -> Result {
        update { machine, _ in change(&machine) }
    }

    /// Changes the state, then wakes the sides that can continue.
    private func update<Result: Sendable>(
        _ change: (inout ChannelState<Element>, inout Promise<Void>?) -> Result
    ) -> Result {
        let (result, producer, consumer) = state.withLock { state in
            let result = change(&state.machine, &state.consumer)
            let producer = state.machine.room == .wait ? nil : state.producer.take()
            let consumer = state.machine.canTake ? state.consumer.take() : nil
            return (result, producer, consumer)
        }
        producer?.fulfill(())
        consumer?.fulfill(())
        return result
    }
}
