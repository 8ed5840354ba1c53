/// Numbers of the latest removals by URL: a response that was requested before one is not stored.
///
/// A bounded map: a URL that is not in it counts as removed at the floor, which errs on the side of not storing.
struct RemovalLog: Sendable {
    private static let capacity = 1_000

    private(set) var number: Int64 = 0
    private var floor: Int64 = 0
    private var numbers: [String: Int64] = [:]

    /// Notes a removal of one URL.
    mutating func remove(_ url: String) {
        number += 1
        if numbers.count >= Self.capacity {
            floor = number
            numbers = [:]
        }
        numbers[url] = number
    }

    /// Notes a removal of any URLs.
    mutating func removeAll() {
        number += 1
        floor = number
        numbers = [:]
    }

    /// Notes a removal with a number of its own, of one URL or, with nil, of any.
    mutating func note(_ url: String?, number: Int64) {
        self.number = max(self.number, number)
        if let url, numbers.count < Self.capacity {
            numbers[url] = max(numbers[url] ?? 0, number)
        } else {
            floor = max(floor, number)
            numbers = [:]
        }
    }

    /// True if a response that was requested at a number may be stored.
    func permits(_ url: String, since ticket: Int64) -> Bool { ticket >= max(floor, numbers[url] ?? 0) }
}
