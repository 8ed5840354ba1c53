/// Interner: maps values to small dense numbers, so that data about a value can be in arrays.
///
/// Freed numbers are reused, last freed first.
struct Interner<Value: Hashable> {
    private var numberOfValue: [Value: Int] = [:]
    /// By number; nil where a number is free.
    private(set) var values: [Value?] = []
    private var freeNumbers: [Int] = []

    /// The number of interned values.
    var count: Int { numberOfValue.count }
    /// The numbers in use, in any order.
    var numbers: some Collection<Int> { numberOfValue.values }

    func number(of value: Value) -> Int? { numberOfValue[value] }

    func value(of number: Int) -> Value? { values[number] }

    /// Interns a value that has no number.
    /// - Returns: a free number; without one, one more than the highest so far.
    mutating func insert(_ value: Value) -> Int {
        let number = freeNumbers.popLast() ?? values.count
        if number == values.count { values.append(value) } else { values[number] = value }
        numberOfValue[value] = number
        return number
    }

    mutating func remove(_ number: Int) {
        guard let value = values[number] else { return }
        numberOfValue[value] = nil
        free(number)
    }

    /// Frees many numbers, in time proportional to the values interned now.
    mutating func removeAll(where isUnused: (Int) -> Bool) {
        for number in numberOfValue.values where isUnused(number) { free(number) }
        // A dictionary never shrinks its storage and is iterated over all of it; the filtered copy is as small as
        // possible.
        numberOfValue = numberOfValue.filter { !isUnused($0.value) }
    }

    private mutating func free(_ number: Int) {
        values[number] = nil
        freeNumbers.append(number)
    }
}

extension Interner: Sendable where Value: Sendable {}
