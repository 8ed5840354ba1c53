import Foundation
import HTTPMessages
import Testing

@Suite struct BodyExcerptTests {
    private func excerpt(_ body: String, type: String? = nil) -> String? {
        BodyExcerpt.text(of: Data(body.utf8), as: type.flatMap { MediaType(parsing: $0) })
    }

    @Test(
        arguments: [
            ("No such item.", "No such item."), ("  a\r\n\tb  ", "a b"), ("a\u{1B}[0mb\u{7F}\u{202E}c", "a[0mbc"),
            ("", nil), (" \n", nil),
            ("a\u{0}b", nil), ("ä€🎈", "ä€🎈"),
        ] as [(String, String?)])
    func `text is joined to one line`(body: String, expected: String?) {
        #expect(excerpt(body) == expected)
    }

    @Test func `text is cut to 200 characters`() {
        #expect(excerpt(String(repeating: "a", count: 200)) == String(repeating: "a", count: 200))
        #expect(excerpt(String(repeating: "a", count: 201)) == String(repeating: "a", count: 200) + "…")
        #expect(excerpt(String(repeating: "€", count: 5000)) == String(repeating: "€", count: 200) + "…")
    }

    @Test(
        arguments: [
            ("see postgres://ann:sesa", nil, "see postgres://<redacted>"), ("see https://h/a", nil, "see https://h/a"),
            (#"{"db":"https:\/\/ann:sesa"#, "application/json", #"{"db":"https:\/\/<redacted>"#),
            ("a=1&db=redis%3A%2F%2Fann%3Asesa", "application/x-www-form-urlencoded", "a=1&db=<redacted>"),
            (#"{"db":"amqp://svc:pa\u002Bsesa"#, "application/json", #"{"db":"amqp://<redacted>"#),
            (#"{"db":"amqp://svc:sesame\"#, "application/json", #"{"db":"amqp://<redacted>"#),
            (
                #"{"db":"amqp://svc:pa\u002Bsesame@h/x","a":"b"#, "application/json",
                #"{"db":"amqp://<redacted>@h/x","a":"b"#
            ),
            ("https://ann:ses@me", nil, "https://<redacted>"), ("ann@", nil, "ann@"),
            ("token=sesa", nil, "token=<redacted>"),
            (" ", nil, nil),
        ] as [(String, String?, String?)])
    func `what may be the user of a URL at the end of a cut text is replaced`(
        body: String, type: String?, expected: String?
    ) {
        let mediaType = type.flatMap { MediaType(parsing: $0) }
        #expect(BodyExcerpt.text(of: Data(body.utf8), as: mediaType, isCut: true) == expected)
        // Its character is cut too.
        #expect(BodyExcerpt.text(of: Data(body.utf8) + [0xC3], as: mediaType, isCut: true) == expected)
    }

    @Test func `a text is cut where the reading ends`() {
        // 4096 bytes end in the password.
        #expect(excerpt(String(repeating: " ", count: 4080) + "https://ann:sesame@h/") == "https://<redacted>")
        #expect(excerpt(String(repeating: " ", count: 5000)) == nil)
    }

    @Test func `Latin-1 is used only for text media types`() {
        let latin1 = Data([0x46, 0xFC, 0x72])
        #expect(BodyExcerpt.text(of: latin1, as: MediaType(parsing: "text/html")) == "Für")
        #expect(BodyExcerpt.text(of: latin1, as: MediaType(parsing: "image/png")) == nil)
        #expect(BodyExcerpt.text(of: latin1, as: nil) == nil)
    }

    @Test(arguments: [
        #"{"error":"bad","token":"sesame \" sesame","x":1}"#, #"{"access_token": "sesame"}"#, "a=1&token=sesame&b=2",
        #"{"m":"{\"token\":\"sesame sesame\",\"a\":1}"}"#, "Authorization: Bearer sesame12345, x",
        #"{"password":["sesame", {"a": "sesame"}]}"#, "<a><token id='1'>sesame sesame</token></a>",
        "bad 'token':'sesame sesame' x", "use Bearer sesame12345 now", "session=sesame", "{\"secret\":\n\"sesame",
        "apiKey = sesame", "<a password=\"sesame\"/>", "<id>http://h/app/Connections('sesame')</id>",
        "<d:ApplicationConnectionId>sesame</d:ApplicationConnectionId>",
        "<auth:Token>sesame</auth:Token>", "<x auth:token=\"sesame\" b='1'/>", "<x auth:token='sesame'/>",
        "Cookie: lang=en; connect=sesame", "Set-Cookie: a=\"b\"; x=sesame", "Authorization: ApiKey a sesame12345",
        "Proxy-Authorization: Negotiate sesame12345, x", "Authorization: Hawk id=\"1\", mac=\"sesame\"",
        #"{"user[password]":"sesame"}"#, #"{"token (new)":"sesame"}"#, #"{"p\u0061ssword":"sesame"}"#,
        "password:sesame=", "Authorization: Digest username = \"ann\", response = \"sesame\"",
    ])
    func `values of secret names are redacted`(body: String) throws {
        let text = try #require(excerpt(body))
        #expect(!text.contains("sesame") && text.contains("<redacted>"), "\(text)")
    }

    @Test(arguments: [
        ("payload=%7B%22token%22%3A%22sesame%22%7D&b=2", "payload=<redacted>&b=2"),
        ("redirect=https%3A%2F%2Fa%2Fcb%3Ftoken%3Dsesame", "redirect=<redacted>"),
        ("a=1&pass%77ord=sesame&b=2", "a=1&pass%77ord=<redacted>&b=2"),
    ])
    func `a secret within a value of a form is redacted`(body: String, expected: String) {
        #expect(excerpt(body, type: "application/x-www-form-urlencoded") == expected)
    }

    @Test(arguments: [#"{"code":404,"error":"a: b","items":[1,2]}"#, "<title>Error: no</title>", "a = b, c: d"])
    func `other text is unchanged`(body: String) {
        #expect(excerpt(body) == body)
    }

    /// Bodies for which a search at each byte would read to the end of the line.
    private static let hostile = [
        "a", "é", "a.", "a ", "<a ", "a b=", "\\", "Bearer a", "A('", "A(", "a\"", "'", "token=\\\"", "a>",
        "Digest a=", "Digest a,",
    ]

    // Ten of each: quadratic time would be minutes.
    @Test(arguments: hostile) func `a body of one repeated part is read at once`(part: String) {
        let body = String(repeating: part, count: 4096 / part.utf8.count) + "("
        for _ in 0..<10 { #expect(excerpt(body, type: "text/plain") != nil) }
    }

    @Test(arguments: [
        ("Bearer sesame12, Basic short", "Bearer <redacted>, Basic short"), ("xBearer sesame123", "xBearer sesame123"),
        (
            #"Authorization: Digest username="ann", realm="a \"b\"", nc=00000001, response="6629fae4", x y"#,
            "Authorization: <redacted>, x y"
        ),
        ("<auth:Name id='1'>Bob</auth:Name>", "<auth:Name id='1'>Bob</auth:Name>"),
        ("Authorization: ApiKey 7 8\nHost: h", "Authorization: <redacted> Host: h"),
        (#"{"m":"Cookie: a=1; b=2","n":3}"#, #"{"m":"Cookie: <redacted>","n":3}"#),
        (#"sent Digest username=\"ann\",  response=\"6629fae4\" to"#, "sent Digest <redacted> to"),
        (#"{"auth": "x", "a": "Digest qop=auth, response='66'"}"#, #"{"auth": <redacted>, "a": "Digest <redacted>"}"#),
        ("Digest pw=x, response=\"6629fae4\"", "Digest <redacted>"),
        ("Digest username = \"ann\", response = \"6629\", x y", "Digest <redacted>, x y"),
        ("Digest auth, Digest <redacted>", "Digest auth, Digest <redacted>"),
        ("token=Bearer sesame, x", "token=<redacted>, x"), ("token=Bearer ,x", "token=<redacted> ,x"),
        ("token='sesame", "token=<redacted>"), (#"token=\"sesame\" x"#, "token=<redacted> x"),
        (#"{"token":"a\"b","c":1}"#, #"{"token":<redacted>,"c":1}"#), ("token=", "token="), ("token: &x", "token: &x"),
        ("<token>sesame", "<token><redacted>"), ("<token></token>", "<token></token>"),
        ("<a token='sesame' b='1'>x</a>", "<a token=<redacted> b='1'>x</a>"), ("tokens <a", "tokens <a"),
        ("Sessions('a')/Items('b')", "Sessions(<redacted>)/Items('b')"), ("Sessions(%27a%27)", "Sessions(<redacted>)"),
        ("Sessions('a') b('c')", "Sessions(<redacted>)"), ("Sessions('a/b')", "Sessions('a/b')"),
        ("Sessions(')", "Sessions(<redacted>)"), ("Sessions(7) b('c')", "Sessions(<redacted>) b('c')"),
        ("Items('a')", "Items('a')"), ("('a')", "('a')"), ("Give the key(s).", "Give the key(s)."),
        ("Sessions(", "Sessions("), ("Keys(7), Sessions%28", "Keys(<redacted>), Sessions%28"),
    ])
    func `each form of a secret is replaced as a whole`(body: String, expected: String) {
        #expect(excerpt(body) == expected)
    }

    @Test(arguments: [
        (#"[{"principal":{"user":"ann"},"next":1}]"#, #"[{"principal":<redacted>,"next":1}]"#),
        (#"{"secret":["a","]}\"",{"b":[1]}],"next":1}"#, #"{"secret":<redacted>,"next":1}"#),
        (#"{"secret":{"a":"cut"#, #"{"secret":<redacted>"#),
        (#"{\"secret\":{\"a\":\"}\"},\"b\":\"x\"}"#, #"{\"secret\":<redacted>"#),
        ("secret={p}x} next=1", "secret=<redacted>"),
    ])
    func `a secret object ends at its bracket in JSON, and nowhere else`(body: String, shown: String) {
        #expect(BodyExcerpt.text(of: Data(body.utf8), as: .plainText) == shown)
    }
}
