/// Numbers of the latest removals by URL: a response that was requested before one is not stored.
///
/// A bounded map: a URL that is not in it counts as removed at the floor, which errs on the side of not storing. Beyond
/// the bound the older half is forgotten, so that the floor stays below the requests in flight.
package struct RemovalLog: Sendable {
    /// The most removals by URL.
    static let capacity = 1_000

    /// The number of the last removal: what a response needs to be stored.
    package private(set) var number: Int64 = 0
    private var floor: Int64 = 0
    private var numbers: [String: Int64] = [:]

    package init() {}

    /// Notes a removal of one URL.
    package mutating func remove(_ url: String) { note(url, number: number + 1) }

    /// Notes a removal of any URLs.
    mutating func removeAll() { note(nil, number: number + 1) }

    /// Notes a removal with a number of its own, of one URL or, with nil, of any.
    mutating func note(_ url: String?, number: Int64) {
        self.number = max(self.number, number)
        guard let url else {
            floor = max(floor, number)
            numbers = numbers.filter { $0.value > floor }
            return
        }
        if numbers[url] == nil, numbers.count >= Self.capacity { forgetOlderHalf() }
        numbers[url] = max(numbers[url] ?? 0, number)
    }

    private mutating func forgetOlderHalf() {
        let middle = numbers.values.sorted()[numbers.count / 2]
        floor = max(floor, middle)
        numbers = numbers.filter { $0.value > middle }
    }

    /// True if a response that was requested at a number may be stored.
    package func permits(_ url: String, since ticket: Int64) -> Bool { ticket >= max(floor, numbers[url] ?? 0) }
}
