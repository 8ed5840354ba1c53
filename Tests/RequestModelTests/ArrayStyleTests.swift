import RequestModel
import Testing

@Suite struct ArrayStyleTests {
    @Test(arguments: [
        (ArrayStyle.repeated, "a=1&a=2"), (.brackets, "a%5B%5D=1&a%5B%5D=2"), (.indices, "a%5B0%5D=1&a%5B1%5D=2"),
        (.comma, "a=1%2C2"), (.space, "a=1%202"), (.pipe, "a=1%7C2"),
    ])
    func writes(style: ArrayStyle, text: String) {
        var query = Query()
        query.append("a", ["1", "2"], style: style)
        #expect(query.text() == text)
    }

    @Test(arguments: ArrayStyle.allCases) func `reads back`(style: ArrayStyle) {
        let values = (0..<12).map { "v\($0)" } + [""]
        var query: Query = ["b": "x"]
        query.append("a", values, style: style)
        #expect(Query(parsing: query.text()).values(of: "a", style: style) == values)
        query.set("a", to: ["only"], style: style)
        #expect(query.values(of: "a", style: style) == ["only"])
        #expect(query.count == 2 && query["b"] == "x")
        query.set("a", to: [], style: style)
        #expect(query == ["b": "x"])
        #expect(query.values(of: "a", style: style) == [])
    }

    @Test func `indices determine the order`() {
        let query: Query = [
            "a[10]": "c", "a[2]": "b", "a[x]": "no", "a[]": "no", "a[-1]": "no", "ab[0]": "no", "a[0]": "a",
        ]
        #expect(query.values(of: "a", style: .indices) == ["a", "b", "c"])
        let huge: Query = ["a[99999999999999999999999999]": "no"]
        #expect(huge.values(of: "a", style: .indices) == [])
    }
}
