/// Small numbers for names, so that what belongs to a name can stand in arrays.
struct Numbering<Name: Hashable> {
    private var numberOfName: [Name: Int] = [:]
    /// By number; nil where a number is free.
    private(set) var names: [Name?] = []
    private var free: [Int] = []

    /// How many names have a number.
    var count: Int { numberOfName.count }
    /// All numbers that are given, in any order.
    var numbers: some Collection<Int> { numberOfName.values }

    func number(of name: Name) -> Int? { numberOfName[name] }

    func name(of number: Int) -> Name? { names[number] }

    /// Gives a name that has no number a free one, which is one more than all before at most.
    mutating func insert(_ name: Name) -> Int {
        let number = free.popLast() ?? names.count
        if number == names.count { names.append(name) } else { names[number] = name }
        numberOfName[name] = number
        return number
    }

    mutating func remove(_ number: Int) {
        guard let name = names[number] else { return }
        numberOfName[name] = nil
        release(number)
    }

    /// Frees the numbers of many names. Takes time for the names that have one, however many had one before.
    mutating func removeAll(where isUnneeded: (Int) -> Bool) {
        for number in numberOfName.values where isUnneeded(number) { release(number) }
        // A dictionary stays as large as it ever was, and as slow to walk; a filtered one is as large as it has to be.
        numberOfName = numberOfName.filter { !isUnneeded($0.value) }
    }

    private mutating func release(_ number: Int) {
        names[number] = nil
        free.append(number)
    }
}

extension Numbering: Sendable where Name: Sendable {}
