import Testing

@testable import Queueing

@Suite struct NumberingTests {
    @Test func numbersAreSmallAndUsedAgain() {
        var numbering = Numbering<String>()
        #expect(["a", "b", "c"].map { numbering.insert($0) } == [0, 1, 2])
        #expect(numbering.number(of: "b") == 1 && numbering.name(of: 1) == "b")
        numbering.remove(1)
        #expect(numbering.number(of: "b") == nil && numbering.name(of: 1) == nil)
        #expect(numbering.numbers.sorted() == [0, 2] && numbering.count == 2)
        numbering.remove(1)
        #expect(numbering.insert("d") == 1 && numbering.insert("b") == 3)
    }

    @Test func manyCanBeFreedTogether() {
        var numbering = Numbering<Int>()
        for name in 0..<100 { _ = numbering.insert(name) }
        numbering.removeAll { $0 % 10 != 3 }
        #expect(numbering.count == 10 && numbering.numbers.sorted() == (0..<10).map { $0 * 10 + 3 })
        #expect(numbering.number(of: 13) == 13 && numbering.number(of: 14) == nil && numbering.name(of: 14) == nil)
        // Each free number is given once, and no new one before.
        #expect(Set((200..<290).map { numbering.insert($0) }).union(numbering.numbers) == Set(0..<100))
        #expect(numbering.insert(300) == 100)
    }

    @Test func whoHasNoNumberIsNotAskedAbout() {
        var numbering = Numbering<Int>()
        for name in 0..<1000 { _ = numbering.insert(name) }
        numbering.removeAll { $0 > 4 }
        var asked: Set<Int> = []
        numbering.removeAll { number in
            asked.insert(number)
            return number == 2
        }
        #expect(asked == Set(0...4) && numbering.numbers.sorted() == [0, 1, 3, 4])
    }
}
