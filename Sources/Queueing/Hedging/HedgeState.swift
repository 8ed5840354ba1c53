/// One call of which several attempts may be under way, as a state machine. It knows no transport and no clock.
struct HedgeState {
    private let limit: Int
    /// How many attempts were begun.
    private(set) var begun = 1
    private var underWay = 1

    init(limit: Int) { self.limit = limit }

    /// True while another attempt may be begun later.
    var mayBeginMore: Bool { begun < limit }

    /// The delay is over, and there is no answer yet; another attempt begins.
    mutating func delayPassed() {
        begun += 1
        underWay += 1
    }

    /// An attempt has ended.
    /// - Returns: true when the call ends with it, because it is good or was the last one under way.
    mutating func ended(isGood: Bool) -> Bool {
        underWay -= 1
        return isGood || underWay == 0
    }
}
