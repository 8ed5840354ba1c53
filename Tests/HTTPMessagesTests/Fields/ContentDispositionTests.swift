import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct ContentDispositionTests {
    /// The examples of RFC 6266, section 5, and of Julian Reschke's test cases.
    @Test(arguments: [
        ("Attachment; filename=example.html", "attachment", "example.html"),
        ("INLINE; FILENAME= \"an example.html\"", "inline", "an example.html"),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "attachment", "€ rates"),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "attachment", "€ rates"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "attachment", "£ rates"),
        ("attachment; filename*=UTF-8''%ff; filename=\"ok.txt\"", "attachment", "ok.txt"),
        ("attachment; filename*=koi8-r''x; filename=ok.txt", "attachment", "ok.txt"),
        ("attachment; filename=\"f\\\"oo.html\"", "attachment", "f\"oo.html"),
        ("attachment; filename=foo-ä.html", "attachment", "foo-ä.html"),
        ("attachment; filename=a,b.txt", "attachment", "a,b.txt"),
        ("attachment; filename=\"a;b.txt\"; size=3", "attachment", "a;b.txt"),
        ("attachment; filename=first.txt; filename=second.txt", "attachment", "first.txt"),
        ("form-data; name=\"x\"", "form-data", nil), ("attachment", "attachment", nil),
        ("attachment; filename=\"\"", "attachment", nil), ("attachment;; filename=x", "attachment", "x"),
        ("attachment; =x; filename=y", "attachment", "y"),
    ])
    func `reads type and file name`(text: String, type: String, name: String?) throws {
        let disposition = try #require(ContentDisposition(parsing: text))
        #expect(disposition.type == type)
        #expect(disposition.fileName == name)
    }

    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("C:\\Users\\ann\\a.txt", "a.txt"), ("/a/b/", nil), ("..", nil), (".", nil),
        ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{61C}b", "ab"), ("a\u{2028}b\u{2029}", "ab"), ("  a.txt  ", "a.txt"),
        ("\u{7F}a", "a"), ("👨‍👩‍👧.png", "👨‍👩‍👧.png"), ("..\\..", nil),
        (".profile", ".profile"), ("a/ .. ", nil),
    ])
    func `a file name is safe in a folder`(raw: String, name: String?) throws {
        let disposition = ContentDisposition.attachment(fileName: raw)
        #expect(disposition.fileName == name)
        #expect(disposition["filename"] == raw)
        #expect(ContentDisposition(parsing: disposition.description)?["filename"] == raw)
    }

    @Test func `is written with an extended value if it is not ASCII`() {
        #expect(ContentDisposition.attachment(fileName: "a b.txt").description == "attachment; filename=\"a b.txt\"")
        #expect(
            ContentDisposition.attachment(fileName: "a\r\nX: y").description
                == "attachment; filename*=UTF-8''a%0D%0AX%3A%20y")
        #expect(ContentDisposition.inline(fileName: "ä.txt").description == "inline; filename*=UTF-8''%C3%A4.txt")
        #expect(ContentDisposition.inline().description == "inline")
    }

    @Test(arguments: [
        ("attachment; filename=ü; filename*=UTF-8''%e2%82%ac", "€"),
        ("attachment; filename*=UTF-8''%e2%82%ac; filename=ü", "€"),
        ("attachment; filename*=UTF-8''%ff; filename=ü", "ü"), ("attachment; filename=ü; filename*=UTF-8''%ff", "ü"),
    ])
    func `a name beside an extended one is the same when its text is read again`(text: String, name: String) {
        let disposition = ContentDisposition(parsing: text)
        #expect(disposition?.fileName == name)
        #expect(disposition.flatMap { ContentDisposition(parsing: "\($0)") }?.fileName == name)
    }

    @Test(arguments: ["", " ", ";", "; filename=x", "\"attachment\"", "=x"])
    func `a field without a type is nil`(text: String) { #expect(ContentDisposition(parsing: text) == nil) }

    @Test func `arbitrary text does not trap`() {
        let pieces = [
            "attachment", ";", "filename", "*", "=", "\"", "\\", "UTF-8''", "%", "%C3", "/", "..", " ", "ä", "\0", ",",
        ]
        for seed in 0..<5000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text =
                "attachment;filename" + (0..<10).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let disposition = ContentDisposition(parsing: text) else { continue }
            let name = disposition.fileName ?? "x"
            #expect(!name.isEmpty && !name.contains("/") && name != ".." && !name.utf8.contains(0), "seed \(seed)")
            #expect(
                ContentDisposition(parsing: disposition.description)?.fileName == disposition.fileName, "seed \(seed)")
        }
    }
}
