/// Small numbers for names, so that what belongs to a name can stand in arrays.
struct Numbering<Name: Hashable> {
    private var numberOfName: [Name: Int] = [:]
    private var names: [Name?] = []
    private var free: [Int] = []

    /// How many names have a number.
    var count: Int { numberOfName.count }
    /// All numbers that are given.
    var numbers: [Int] { names.indices.filter { names[$0] != nil } }

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
        names[number] = nil
        free.append(number)
    }
}

extension Numbering: Sendable where Name: Sendable {}
