/// The state machine of a ``Channel``: a bounded FIFO between one producer and one consumer.
///
/// ```
/// open      -send, take->   open
/// open      -finish->       finished   the elements are still taken, then the error or the end
/// open      -close->        closed     the elements are dropped
/// finished  -close->        closed
/// ```
struct ChannelState<Element> {
    enum Take {
        case element(Element)
        /// There is none yet.
        case wait
        /// The end, or the error that ended the producer; the error only once.
        case end((any Error)?)
    }

    enum Room: Hashable {
        case free
        /// There is none yet.
        case wait
        /// The channel takes no more elements.
        case none
    }

    private enum Phase {
        case open
        case finished((any Error)?)
        case closed
    }

    private let capacity: Int
    private var phase = Phase.open
    private var elements = FIFO<(element: Element, cost: Int)>()
    /// The cost of all elements.
    private var used = 0
    private var isDemanded = false

    /// - Parameter capacity: the cost at which the channel is full; 0 lets the producer go on only on demand.
    init(capacity: Int) { self.capacity = capacity }

    /// Whether the producer may make a further element.
    var room: Room {
        guard case .open = phase else { return .none }
        return used < capacity || isDemanded ? .free : .wait
    }

    /// True if ``take()`` has something to return.
    var canTake: Bool {
        if case .open = phase { !elements.isEmpty } else { true }
    }

    /// Adds an element, also without room.
    /// - Returns: false if the channel takes no more elements.
    mutating func send(_ element: Element, cost: Int) -> Bool {
        guard case .open = phase else { return false }
        elements.append((element, cost))
        used += cost
        isDemanded = false
        return true
    }

    /// Ends the producer's side; only the first call has an effect.
    mutating func finish(_ error: (any Error)?, dropsElements: Bool) {
        guard case .open = phase else { return }
        phase = .finished(error)
        if dropsElements { drop() }
    }

    /// Takes the oldest element.
    mutating func take() -> Take {
        if let (element, cost) = elements.popFirst() {
            used -= cost
            return .element(element)
        }
        switch phase {
        case .open:
            isDemanded = true
            return .wait
        case .finished(let error):
            phase = .closed
            return .end(error)
        case .closed:
            return .end(nil)
        }
    }

    /// Ends the consumer's side, and drops the elements.
    mutating func close() {
        phase = .closed
        drop()
    }

    private mutating func drop() {
        elements.removeAll()
        used = 0
    }
}

extension ChannelState: Sendable where Element: Sendable {}
