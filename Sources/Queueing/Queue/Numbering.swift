/// Small numbers for names, so that what belongs to a name can stand in arrays.
struct Numbering<Name: Hashable> {
    private var numbers: [Name: Int] = [:]
    private var names: [Name?] = []
    private var free: [Int] = []

    /// How many names have a number.
    var count: Int { numbers.count }
    /// All numbers are less than this.
    var end: Int { names.count }

    func number(of name: Name) -> Int? { numbers[name] }

    func name(of number: Int) -> Name? { names[number] }

    /// Gives a name that has no number the first free one, which is `end` at most.
    mutating func insert(_ name: Name) -> Int {
        let number = free.popLast() ?? names.count
        if number == names.count { names.append(name) } else { names[number] = name }
        numbers[name] = number
        return number
    }

    mutating func remove(_ number: Int) {
        guard let name = names[number] else { return }
        numbers[name] = nil
        names[number] = nil
        free.append(number)
    }
}

extension Numbering: Sendable where Name: Sendable {}
