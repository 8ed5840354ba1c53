import Testing

@testable import Queueing

@Suite struct NumberingTests {
    @Test func numbersAreSmallAndUsedAgain() {
        var numbering = Numbering<String>()
        #expect(["a", "b", "c"].map { numbering.insert($0) } == [0, 1, 2])
        #expect(numbering.number(of: "b") == 1 && numbering.name(of: 1) == "b")
        numbering.remove(1)
        #expect(numbering.number(of: "b") == nil && numbering.name(of: 1) == nil)
        #expect(numbering.numbers == [0, 2] && numbering.count == 2)
        numbering.remove(1)
        #expect(numbering.insert("d") == 1 && numbering.insert("b") == 3)
    }
}
