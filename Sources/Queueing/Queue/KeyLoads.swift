/// How many run and how many wait for each key.
///
/// A key without any is remembered for a while, because the next item often has the same; such keys are forgotten
/// together when they are more than the others.
struct KeyLoads<Key: Hashable> {
    private struct Load {
        var running = 0
        var waiting = 0
        var isIdle: Bool { running == 0 && waiting == 0 }
    }

    private var numbering = Numbering<Key>()
    private var loads: [Load] = []
    private var idle = 0

    /// The number of a key, good as long as any item has it.
    mutating func number(of key: Key) -> Int {
        if let number = numbering.number(of: key) { return number }
        if idle > 64, idle > numbering.count / 2 { forgetIdleKeys() }
        let number = numbering.insert(key)
        if number == loads.count { loads.append(Load()) }
        idle += 1
        return number
    }

    func key(_ number: Int) -> Key? { numbering.name(of: number) }

    /// The numbers of all keys that are remembered.
    var numbers: some Sequence<Int> { (0..<numbering.end).lazy.filter { numbering.name(of: $0) != nil } }

    func running(_ number: Int) -> Int { loads[number].running }

    mutating func add(_ number: Int, running: Int = 0, waiting: Int = 0) {
        let wasIdle = loads[number].isIdle
        loads[number].running += running
        loads[number].waiting += waiting
        let isIdle = loads[number].isIdle
        if wasIdle != isIdle { idle += isIdle ? 1 : -1 }
    }

    private mutating func forgetIdleKeys() {
        for number in 0..<numbering.end where loads[number].isIdle { numbering.remove(number) }
        idle = 0
    }
}

extension KeyLoads: Sendable where Key: Sendable {}
