import PatchbayTestKit
import Testing

@testable import HTTPMessages

@Suite struct URLReferenceTests {
    private func resolve(_ reference: String, _ base: String = "http://a/b/c/d;p?q") -> String {
        URLReference(reference[...]).resolved(against: URLReference(base[...])).text
    }

    /// RFC 3986, section 5.4.1.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ])
    func `resolves normal examples`(reference: String, target: String) {
        #expect(resolve(reference) == target)
    }

    /// RFC 3986, section 5.4.2.
    @Test(arguments: [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func `resolves abnormal examples`(reference: String, target: String) {
        #expect(resolve(reference) == target)
    }

    @Test func `base without path resolves to root`() {
        #expect(resolve("g", "http://a") == "http://a/g")
        #expect(resolve("../g", "http://a") == "http://a/g")
        #expect(resolve("?y", "http://a") == "http://a?y")
    }

    @Test func `empty segments are kept`() {
        #expect(resolve("x//../y", "http://a/b/") == "http://a/b/x/y")
        #expect(resolve("x//y/..", "http://a/b/") == "http://a/b/x//")
    }

    @Test func `splits components`() {
        let reference = URLReference("s+1.-:" + "//u@h:1/p/q?x?y#z#?")
        #expect(reference.scheme == "s+1.-")
        #expect(reference.authority == "u@h:1")
        #expect(reference.path == "/p/q")
        #expect(reference.query == "x?y")
        #expect(reference.fragment == "z#?")
        let relative = URLReference("1a:b/c:d")
        #expect(relative.scheme == nil && relative.path == "1a:b/c:d")
        #expect(URLReference("//h?q").authority == "h")
    }

    @Test func `components round trip`() {
        for seed in 0..<2000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text =
                generator.urlText() + ":" + generator.urlText() + "//" + generator.urlText() + generator.urlText()
            #expect(URLReference(text[...]).text.utf8.elementsEqual(text.utf8), "seed \(seed)")
            _ = resolve(text)
        }
    }
}
