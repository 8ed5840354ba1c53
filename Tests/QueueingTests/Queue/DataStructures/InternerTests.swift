import Testing

@testable import Queueing

@Suite struct InternerTests {
    @Test func `numbers are dense and reused`() {
        var interner = Interner<String>()
        #expect(["a", "b", "c"].map { interner.insert($0) } == [0, 1, 2])
        #expect(interner.number(of: "b") == 1 && interner.value(of: 1) == "b")
        interner.remove(1)
        #expect(interner.number(of: "b") == nil && interner.value(of: 1) == nil)
        #expect(interner.numbers.sorted() == [0, 2] && interner.count == 2)
        interner.remove(1)
        #expect(interner.insert("d") == 1 && interner.insert("b") == 3)
    }

    @Test func `many values can be removed at once`() {
        var interner = Interner<Int>()
        for value in 0..<100 { _ = interner.insert(value) }
        interner.removeAll { $0 % 10 != 3 }
        #expect(interner.count == 10 && interner.numbers.sorted() == (0..<10).map { $0 * 10 + 3 })
        #expect(interner.number(of: 13) == 13 && interner.number(of: 14) == nil && interner.value(of: 14) == nil)
        // Each free number is used once before any new one.
        #expect(Set((200..<290).map { interner.insert($0) }).union(interner.numbers) == Set(0..<100))
        #expect(interner.insert(300) == 100)
    }

    @Test func `the predicate is called for numbers in use only`() {
        var interner = Interner<Int>()
        for value in 0..<1000 { _ = interner.insert(value) }
        interner.removeAll { $0 > 4 }
        var asked: Set<Int> = []
        interner.removeAll { number in
            asked.insert(number)
            return number == 2
        }
        #expect(asked == Set(0...4) && interner.numbers.sorted() == [0, 1, 3, 4])
    }
}
