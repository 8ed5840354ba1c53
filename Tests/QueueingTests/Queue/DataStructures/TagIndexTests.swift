import Testing

@testable import Queueing

@Suite struct TagIndexTests {
    @Test func `finds the slots of a tag`() {
        var tags = TagIndex()
        let (a, b) = (tags.insert(7, tag: "a"), tags.insert(3, tag: "b"))
        #expect(tags.insert(5, tag: "a") == a && a != b)
        #expect(tags.slots(tag: "a") == [7, 5] && tags.slots(tag: "b") == [3] && tags.slots(tag: "c") == [])
        #expect(tags.tag(number: a) == "a")
        tags.remove(7, number: a)
        #expect(tags.slots(tag: "a") == [5])
        tags.remove(5, number: a)
        #expect(tags.slots(tag: "a") == [] && tags.tag(number: a) == nil)
        // The number of an unused tag is free again.
        #expect(tags.insert(1, tag: "c") == a)
    }
}
