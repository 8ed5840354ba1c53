import Testing

@testable import RequestModel

@Suite struct URITemplateMatchingTests {
    @Test(arguments: [
        ("/orders/{id}", "https://h/orders/7", ["id": "7"]), ("/orders/{id}", "https://h/orders/a%2Fb", ["id": "a/b"]),
        ("/orders/{id}", "https://h/orders/7?x=1", ["id": "7"]), ("orders", "https://h/orders", [:]),
        ("/{+path}", "https://h/a/b/c", ["path": "a/b/c"]), ("/a{/b,c}", "https://h/a/1/2", ["b": "1", "c": "2"]),
        ("/a{/b}", "https://h/a", [:]), ("/f{.type}", "https://h/f.json", ["type": "json"]),
        ("/{a}-{b}", "https://h/x-y-z", ["a": "x-y", "b": "z"]), ("/{a,b}", "https://h/1,2", ["a": "1", "b": "2"]),
        ("/o{?page,size}", "https://h/o?size=2", ["size": "2"]), ("/o{?page,size}", "https://h/o", [:]),
        ("/o?a=1&b={b}", "https://h/o?b=2&a=1", ["b": "2"]), ("/o?a=1{&b}", "https://h/o?a=1&b=x%20y", ["b": "x y"]),
        ("/o{?all*}", "https://h/o?x=1&y=2", ["all": "x,1,y,2"]), ("https://h/{a}", "https://h/1", ["a": "1"]),
        ("/o?p=%2B1", "https://h/o?p=%2b1", [:]), ("/o?p={p}", "https://h/o?p=%2B1", ["p": "+1"]),
        ("/a;m{;x}", "https://h/a;m;x=1", ["x": "1"]), ("/caf%C3%A9/{x}", "https://h/caf%C3%A9/1", ["x": "1"]),
    ])
    func `a URL of the template has its values`(template: String, url: String, expected: [String: String]) throws {
        #expect(try URITemplate(template).variables(in: url) == expected)
    }

    @Test(arguments: [
        ("/orders/{id}", "https://h/orders/"), ("/orders/{id}", "https://h/orders/7/items"),
        ("/orders", "https://h/order"),
        ("/o{?page}", "https://h/o?size=2"), ("/o?a=1", "https://h/o?a=2"), ("/o?a=1", "https://h/o?a=1&b=2"),
        ("/o?a=1", "https://h/o"), ("https://h/{a}", "https://i/1"), ("http://h/{a}", "https://h/1"),
        ("/o?a={a}", "https://h/o"), ("/o?p=%2B1", "https://h/o?p=+1"),
    ])
    func `another URL has none`(template: String, url: String) throws {
        #expect(try URITemplate(template).variables(in: url) == nil)
    }

    @Test func `many variables take polynomial time`() throws {
        let template = try URITemplate("/" + (0..<12).map { "{+v\($0)}x" }.joined() + "y")
        #expect(template.variables(in: "https://h/" + String(repeating: "x", count: 400)) == nil)
    }
}
