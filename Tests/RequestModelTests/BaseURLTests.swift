import Foundation
import HTTPMessages
import RequestModel
import Testing

@Suite struct BaseURLTests {
    @Test(arguments: [
        ("http://h/akula/app", "/data/x", "http://h/akula/app/data/x"),
        ("http://h/akula/app/", "/data/x", "http://h/akula/app/data/x"),
        ("http://h/akula/app", "data/x", "http://h/akula/app/data/x"),
        ("http://h/akula/app/", "data/x", "http://h/akula/app/data/x"),
        ("http://h/akula/app//", "//data//x", "http://h/akula/app/data//x"),
        ("http://h", "x", "http://h/x"), ("http://h/", "/x", "http://h/x"), ("http://h", "/", "http://h/"),
        ("http://h/a", "", "http://h/a"), ("http://h/a/", "", "http://h/a/"), ("http://h/a", "/", "http://h/a/"),
        ("http://h/a/", "?b", "http://h/a/?b"), ("http://h/a", "?b", "http://h/a?b"),
        ("http://h/a", "/?b", "http://h/a/?b"),
        ("http://h/a", "x?b=1#f", "http://h/a/x?b=1"), ("http://h/a", "#f", "http://h/a"),
        ("http://h/a", "x?u=http://e/", "http://h/a/x?u=http://e/"), ("http://h/a", "x:y", "http://h/a/x:y"),
        ("http://h/a", "../b/./c", "http://h/a/../b/./c"),
        ("http://h/a", "my file?q=a b", "http://h/a/my%20file?q=a%20b"),
        ("http://h/my app", " ", "http://h/my%20app/%20"),
        ("http://h/ä b".replacing(" ", with: ""), "ö", "http://h/%C3%A4b/%C3%B6"),
    ])
    func `appends with one slash`(base: String, endpoint: String, target: String) throws {
        #expect(try BaseURL(base).appending(endpoint).text == target)
    }

    @Test(arguments: [
        "//evil/x", "///evil/x", "@evil/x", ":@evil", ".evil", "\\\\evil", "/\\evil", "http:evil", "http:/evil",
        "javascript:x",
        "evil.example", ":8080/x", "%2F%2Fevil", "?@evil", "#@evil", "",
    ])
    func `stays on the origin`(endpoint: String) throws {
        for base in ["http://h", "http://h/", "http://h/a", "http://h:81/a/"] {
            let url = try RequestData.empty.request(.get, BaseURL(base).appending(endpoint)).url
            #expect(url.host() == "h", "\(base) \(endpoint)")
            #expect(url.port == (base.contains("81") ? 81 : nil))
            #expect(url.absoluteString.hasPrefix(base.hasSuffix("/") ? String(base.dropLast()) : base))
        }
    }

    @Test(arguments: ["http://evil/", "HTTPS://evil", "ftp://evil/x", "a\tb", "x\r\ny", "x?\0"])
    func `rejects absolute UR ls and control characters`(endpoint: String) throws {
        let base = try BaseURL("http://h/a")
        let error = #expect(throws: HTTPMessageError.self) { try base.appending(endpoint) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `resolves references`() throws {
        let base = try BaseURL("http://a/b/c/d;p")
        #expect(try base.resolving("g?y#s").text == "http://a/b/c/g?y")
        #expect(try base.resolving("../../../g").text == "http://a/g")
        #expect(try base.resolving("//g/x").text == "http://g/x")
        #expect(try base.resolving("").text == "http://a/b/c/d;p")
        #expect(try base.resolving("http://e/./x/../y").text == "http://e/y")
        #expect(try base.resolving("a b").text == "http://a/b/c/a%20b")
        #expect(throws: HTTPMessageError.self) { try base.resolving("a\nb") }
        let error = #expect(throws: HTTPMessageError.self) {
            try RequestData.empty.request(.get, base.resolving("g:h"))
        }
        #expect(error?.code == .unsupportedScheme)
    }

    @Test(arguments: [
        ("http://h/?", HTTPMessageError.Code.invalidURL), ("http://h/?a=1", .invalidURL), ("http://h/#", .invalidURL),
        ("", .invalidURL), ("/a", .invalidURL), ("h/a", .invalidURL), ("http://", .invalidURL),
        ("http:///a", .invalidURL),
        ("http://h /a", .invalidURL), ("http://h/a\tb", .invalidURL), ("http://h:0/", .invalidURL),
        ("http://h\\e/", .invalidURL), ("ftp://h/", .unsupportedScheme), ("http://u@h/", .userInfoInURL),
        ("http://u:secret@h/", .userInfoInURL),
    ])
    func `rejects invalid bases`(text: String, code: HTTPMessageError.Code) {
        let error = #expect(throws: HTTPMessageError.self) { try BaseURL(text) }
        #expect(error?.code == code)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        ("http://h/a", "http://h/a/"), ("http://h/a", "http://h/a//"), ("http://h", "http://h/"),
        ("http://h/a", "HTTP://H/a"), ("http://h/a", "http://h:80/a"), ("https://h/a", "https://h:443/a"),
        ("https://h/a", "https://h:0443/a/"), ("https://h:/a", "https://h/a"), ("http://[::A]/", "http://[::a]"),
        ("http://h/~a", "http://h/%7Ea"), ("http://h/%c3%a4", "http://h/ä"), ("http://h/a b", "http://h/a%20b"),
    ])
    func `recognizes equivalent UR ls`(left: String, right: String) throws {
        let (left, right) = (try BaseURL(left), try BaseURL(right))
        #expect(left.isEquivalent(to: right))
        #expect(right.isEquivalent(to: left))
        #expect(left.isEquivalent(to: left))
    }

    @Test(arguments: [
        ("http://h/a", "https://h/a"), ("http://h/a", "http://h/A"), ("http://h/a", "http://h/a/b"),
        ("http://h/a", "http://i/a"), ("http://h/a", "http://h:81/a"), ("http://h/a", "http://h"),
        ("https://h/a", "https://h:80/a"), ("http://h/a%2Fb", "http://h/a/b"), ("http://h/a", "http://h//a"),
    ])
    func `distinguishes different UR ls`(left: String, right: String) throws {
        #expect(try !BaseURL(left).isEquivalent(to: BaseURL(right)))
        #expect(try !BaseURL(right).isEquivalent(to: BaseURL(left)))
    }

    @Test func `keeps its text`() throws {
        #expect(try BaseURL("http://h/a/").description == "http://h/a/")
        #expect(try BaseURL("https://[::1]:8443").appending("x").text == "https://[::1]:8443/x")
    }
}
