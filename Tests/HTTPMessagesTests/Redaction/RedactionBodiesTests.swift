import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import HTTPMessages

@Suite struct RedactionBodiesTests {
    private func redacted(_ body: String, _ type: String? = nil) -> String {
        let mediaType = type.flatMap { MediaType(parsing: $0) }
        return String(decoding: Redaction.standard.redacted(body: Data(body.utf8), as: mediaType), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{ "token" : "sesame", "n": [1, 2] }"#, #"{ "token" : "<redacted>", "n": [1, 2] }"#),
        (
            #"{"session":{"id":"sesame","no":12,"ok":true,"x":null}}"#,
            #"{"session":{"id":"<redacted>","no":0,"ok":true,"x":null}}"#
        ),
        (#"{"p\u0061ssword":"sesame"}"#, #"{"p\u0061ssword":"<redacted>"}"#), (#"{"pin":-1.5e3}"#, #"{"pin":0}"#),
        (#"{"a":"{\"token\":\"sesame\"}"}"#, #"{"a":"{\"token\":\"<redacted>\"}"}"#),
        (#"[{"u":"https://h/?token=sesame&a=1"}]"#, #"[{"u":"https://h/?token=<redacted>&a=1"}]"#),
        ("{\"token\":\"sesame\"}\n{\"token\":\"sesame\"}", "{\"token\":\"<redacted>\"}\n{\"token\":\"<redacted>\"}"),
        (#"{"token":""}"#, #"{"token":""}"#),
        (
            #"{"uri":"/Sessions('sesame')","id":"Sessions%287%29","text":"the key(s)"}"#,
            #"{"uri":"/Sessions(<redacted>)","id":"Sessions%28<redacted>%29","text":"the key(s)"}"#
        ),
        (#"{"db":"postgres://ann:sesame@h/a","m":"ann@h"}"#, #"{"db":"postgres://<redacted>@h/a","m":"ann@h"}"#),
        (#"{"db":"https:\/\/ann:sesame\u0040h"}"#, #"{"db":"https://<redacted>@h"}"#),
        (#"{"a/b: key=3":{}}"#, #"{"a/b: key=3":{}}"#),
        (#"{"https:\/\/ann:sesame@h\/":{"auth:a":{}}}"#, #"{"https://<redacted>@h/":{"auth:a":{}}}"#),
    ])
    func `JSON keeps its types and all other bytes`(body: String, expected: String) {
        #expect(redacted(body) == expected && redacted(body, "application/json") == expected)
    }

    @Test(arguments: [
        ("a=1&pass+word=x&password=sesame", "a=1&pass+word=<redacted>&password=<redacted>"),
        ("next=https%3A%2F%2Fh%3Ftoken%3Dsesame&b=2", "next=<redacted>&b=2"),
        ("passw%6Frd=sesame", "passw%6Frd=<redacted>"),
        ("a=b+c&d=%zz", "a=b+c&d=%zz"), ("token", "token"), ("password=sesame&a=\0", "password=<redacted>&a=\0"),
    ])
    func `forms are redacted by name`(body: String, expected: String) {
        #expect(redacted(body, "application/x-www-form-urlencoded") == expected)
    }

    @Test func `the data of server-sent events keeps its JSON`() {
        let events = "event: a\ndata: {\"token\":\"sesame\",\"n\":1}\n\ndata:password=sesame\n\n: token=sesame\n"
        #expect(
            redacted(events, "text/event-stream")
                == "event: a\ndata: {\"token\":\"<redacted>\",\"n\":1}\n\ndata:password=<redacted>\n\n: token=<redacted>\n"
        )
    }

    @Test func `multipart bodies are redacted by the names of their parts`() {
        func part(_ name: String, _ content: String, _ type: String = "") -> String {
            "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(type)\r\n\(content)\r\n"
        }
        let json = "Content-Type: application/json\r\n"
        let body = part("a", "1") + part("password", "sesame\r\nsesame") + part("c", #"{"pin":7}"#, json) + "--b--\r\n"
        #expect(
            redacted(body, "multipart/form-data; boundary=b")
                == part("a", "1") + part("password", "<redacted>") + part("c", #"{"pin":0}"#, json) + "--b--\r\n")
        let cut = part("a", "1") + "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nses"
        #expect(!redacted(cut, "multipart/form-data; boundary=b").contains("ses"))
    }

    @Test func `a body that is no form is not taken for one`() {
        #expect(redacted(#"{"password":"sesame"}"#, "application/x-www-form-urlencoded") == "<redacted>")
        #expect(redacted("flag&a=1", "application/x-www-form-urlencoded") == "flag&a=1")
    }

    @Test func `the whole name of a part counts`() {
        let part = "--b\r\nContent-Disposition: form-data; name=\"request_uri\"\r\n\r\nsesame\r\n--b--\r\n"
        #expect(
            redacted(part, "multipart/form-data; boundary=b") == part.replacing("sesame", with: "<redacted>"))
    }

    @Test(arguments: [
        #"{"token":"sesame"#, #"{"token":"sesame","x":}"#, "<a>\n<password>\n\tsesame\n</password>",
        "password:\n\tsesame",
        "x\nAuthorization:\tBearer\tsesame12\n", "Authorization: DPoP sesame12", "DPoP: sesame",
        "token=x DPoP sesame12",
    ])
    func `damaged JSON and other text is scanned`(body: String) {
        #expect(!redacted(body).contains("sesame") && redacted(body).contains("<redacted>"), "\(redacted(body))")
    }

    @Test(arguments: [
        ("<password><![CDATA[sesame]]></password><a>1</a>", "<password><redacted></password><a>1</a>"),
        ("<password><!--x-->sesame</password>", "<password><redacted></password>"),
        ("<credentials>\n<value>sesame</value></credentials><a>1</a>", "<credentials><redacted></credentials><a>1</a>"),
        (
            "<w:credentials x='1'><w:credentials>sesame</w:credentials>sesame</w:credentials >",
            "<w:credentials x='1'><redacted></w:credentials >"
        ),
        ("<token><tokens/></tokens>sesame<token/></token>", "<token><redacted></token>"),
        ("<token><a>sesame</a>", "<token><redacted>"), (" <token><a>sesame</a>", " <token><redacted>"),
        ("<token><token a='b'/>sesame</token><a>1</a>", "<token><redacted></token><a>1</a>"),
        ("x <token>sesame<token>sesame</token> y", "x <token><redacted></token> y"),
        ("x <token><![CDATA[sesame]]></token> y", "x <token><redacted></token> y"),
        ("HTTP/1.1 200 OK\n\n<credentials>\n<value>sesame", "HTTP/1.1 200 OK\n\n<credentials><redacted>"),
        ("\u{FEFF}<credentials>\n7 <value>sesame", "\u{FEFF}<credentials><redacted>"),
        ("<password/><a>1</a>", "<password/><a>1</a>"),
        ("<password /><a>1</a>", "<password /><a>1</a>"),
        ("<a><password></password>\n<b>1</b></a>", "<a><password></password>\n<b>1</b></a>"),
    ])
    func `the whole content of an XML element with a secret name is replaced`(body: String, expected: String) {
        #expect(redacted(body) == expected && redacted(expected) == expected)
    }

    @Test(arguments: [
        ("login <key> [<host>] for all", "login <key><redacted><host>] for all"),
        ("Run `a <token>` or <b>c</b>, then d", "Run `a <token><redacted><b>c</b>, then d"),
    ])
    func `a name in angle brackets without an end tag hides the text up to the next tag`(body: String, expected: String)
    {
        #expect(redacted(body) == expected && redacted(expected) == expected)
    }

    @Test(arguments: [
        ("see https://ann:sesame@h:80/a.", "see https://<redacted>@h:80/a."),
        ("redis://:ses@me@h", "redis://<redacted>@h"), ("https:\\/\\/ann:sesame@h", "https:\\/\\/<redacted>@h"),
        ("a https://sesame@h, mongodb+srv://b:sesame@h", "a https://<redacted>@h, mongodb+srv://<redacted>@h"),
        ("<a db='https://b:sesame@h'>c</a>", "<a db='https://<redacted>@h'>c</a>"),
        ("https://h/@a?b=c@d#e@f ann@h", "https://h/@a?b=c@d#e@f ann@h"),
    ])
    func `the user of a URL in a text is replaced`(body: String, expected: String) {
        #expect(redacted(body) == expected && redacted(expected) == expected)
        #expect(redacted("data: \(body)\n\n", "text/event-stream") == "data: \(expected)\n\n")
        #expect(SecretFilter(.standard).mayFind(in: body) == (body != expected))
    }

    @Test func `a key of an entity before the parts of a multipart body is replaced`() {
        #expect(
            redacted("Sessions('sesame')\r\n--b--", "multipart/mixed; boundary=b")
                == "Sessions(<redacted>)\r\n--b--")
    }

    @Test func `text in UTF-16 and Latin-1 is redacted, other bytes are not changed`() throws {
        let wide = try #require(#"{"token":"sesame"}"#.data(using: .utf16))
        let changed = Redaction.standard.redacted(body: wide, as: MediaType(parsing: "application/json"))
        #expect(String(data: changed, encoding: .utf16) == #"{"token":"<redacted>"}"#)
        let latin1 = Data("token=sesame&n=".utf8) + [0xFC]
        #expect(
            Redaction.standard.redacted(body: latin1, as: MediaType(parsing: "text/plain"))
                == Data("token=<redacted>&n=".utf8) + [0xFC])
        let bytes = Data([0xFF, 0xD8, 0x00] + Array("token=sesame".utf8))
        #expect(Redaction.standard.redacted(body: bytes, as: MediaType(parsing: "image/jpeg")) == bytes)
    }

    private static let part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"

    @Test(arguments: [
        ("data: {\"token\":\"sesame\"}\0\n\n", "text/event-stream"), ("password=sesame\0", nil),
        (#"{"a":"password=sesame\u0000"}"#, "application/json"), ("{\"token\":\"sesame\"}\0", nil),
        ("next=https%3A%2F%2Fh%3Ftoken%3Dsesame%00", "application/x-www-form-urlencoded"),
        (part + "token=sesame\0\r\n--b--", "multipart/form-data; boundary=b"),
        (part + "password: sesame\0", "multipart/form-data; boundary=b"),
        ("token=sesame\0\r\n" + part, "multipart/form-data; boundary=b"),
        ("token=sesame\0x", "text/plain; charset=utf-16"),
    ])
    func `a NUL hides no secret`(body: String, type: String?) {
        #expect(!redacted(body, type).contains("sesame"), "\(redacted(body, type))")
        #expect(!Redaction.standard.redacted(text: body).contains("=sesame"))
    }

    @Test(arguments: [
        ("data: token=sesame", "text/event-stream"), (part + "token=sesame", "multipart/form-data; boundary=b"),
        (#"{"token":"sesame"}"#, "application/json"),
    ])
    func `a byte that is not UTF-8 hides no secret of a text`(body: String, type: String) {
        let changed = Redaction.standard.redacted(body: Data(body.utf8) + [0xFF], as: MediaType(parsing: type))
        #expect(!String(decoding: changed, as: UTF8.self).contains("sesame"))
    }

    @Test func `text in UTF-16 with a NUL or half a character, and deeply nested parts, show no secret`() throws {
        let wide = try #require("token=sesame\0".data(using: .utf16))
        for (body, type) in [(wide, nil), (wide + [0x41], nil), (wide + [0x41], "text/plain; charset=utf-16")] {
            let changed = Redaction.standard.redacted(body: body, as: type.flatMap { MediaType(parsing: $0) })
            #expect(!changed.filter { $0 != 0 }.contains(Data("sesame".utf8)))
        }
        var body = "--b4\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nsesame\r\n--b4--"
        for depth in (0..<4).reversed() {
            body =
                "--b\(depth)\r\nContent-Type: multipart/mixed; boundary=b\(depth + 1)\r\n\r\n\(body)\r\n--b\(depth)--"
        }
        #expect(!redacted(body, "multipart/mixed; boundary=b0").contains("sesame"))
    }

    @Test func `redaction changes nothing the second time, and takes linear time`() {
        for part in [
            #"{"a":"#, "[", "\"token\":", "a=token=", "<", "<token>", "a<key><key></key>", "\\\"", "--b\r\n\r\n",
            "a://b@",
        ] {
            let body = String(repeating: part, count: 20_000)
            let once = redacted(body)
            #expect(redacted(once) == once)
        }
    }

    @Test(arguments: [
        ("a>", nil), ("key=a>b ", nil), ("<key></key>", nil), ("a<key>", nil),
        ("a://", nil), ("a://b@", nil), ("a:\\", nil), ("a@", nil),
        ("--b", "multipart/mixed; boundary=b"),
        ("-", "multipart/mixed; boundary=\"\""),
    ])
    func `tags without text, delimiters without heads and users of URLs take linear time`(part: String, type: String?) {
        let body = String(repeating: part, count: 50_000)
        #expect(redacted(body, type).utf8.count >= 50_000)
        _ = SecretFilter(.standard).mayFind(in: body)
    }

    /// JSON in strings of JSON, each in some arrays.
    private static func nested(_ innermost: String, texts: Int, arrays: Int) -> String {
        (0..<texts).reduce(innermost) { text, _ in
            String(repeating: "[", count: arrays) + " " + JSONValue.string(text).description
                + String(repeating: "]", count: arrays)
        }
    }

    @Test(.needsSlot) func `levels of JSON count in strings of it too`() {
        let secret = #"{"p\u0061ssword":"sesame","n":7}"#
        // 2 * (45 + 1) levels around the object, then 3 * (45 + 1).
        let shown = redacted(Self.nested(secret, texts: 2, arrays: 45))
        #expect(!shown.contains("sesame") && shown.contains(":7}"))
        let hidden = redacted(Self.nested(secret, texts: 3, arrays: 45))
        #expect(!hidden.contains("sesame") && !hidden.contains("ssword") && hidden.contains("<redacted>"))
        #expect(redacted(hidden) == hidden && (try? JSONValue(parsing: Data(hidden.utf8))) != nil)
        let deep = String(repeating: "[", count: 99) + #"[1,["]\"",{"a":[]}],2]"# + String(repeating: "]", count: 99)
        #expect(redacted(deep) == deep.replacing(#"["]\"",{"a":[]}]"#, with: "\"<redacted>\""))
    }

    @Test(.needsSlot) func `deeply nested strings need little stack`() {
        let body = Self.nested("[ 1]", texts: 16, arrays: 199)
        let part = "--b\r\nContent-Type: application/json\r\n\r\n" + Self.nested("[ 1]", texts: 10, arrays: 99)
        let holds = onSmallThread {
            _ = Redaction.standard.redacted(body: Data(body.utf8), as: .json)
            _ = Redaction.standard.redacted(text: Self.nested("[ 1]", texts: 16, arrays: 3))
            return BodyExcerpt.text(of: Data(part.utf8), as: MediaType(parsing: "multipart/mixed; boundary=b")) != nil
        }
        #expect(holds)
    }

    @Test func `a longer boundary than RFC 2046 permits hides the body`() {
        let boundary = String(repeating: "b", count: 71)
        let body = "--\(boundary)\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nsesame"
        #expect(redacted(body, "multipart/form-data; boundary=\(boundary)") == "<redacted>")
    }

    @Test func `a code is a secret of requests`() {
        let response = Redaction.standard.forResponseBodies
        #expect(!response.isSecret("code") && response.isSecret("token") && Redaction.standard.isSecret("code"))
        #expect(Redaction(words: ["code"]).forResponseBodies.isSecret("code"))
        // Those that OAuth's servers issue are secret in responses too; the code of an error is not.
        for name in ["device_code", "user_code", "auth_code", "request_uri"] { #expect(response.isSecret(name)) }
        for name in ["errorCode", "status_code", "Code"] { #expect(!response.isSecret(name)) }
        let body = Data(#"{"device_code":"sesame","user_code":"sesame","code":"E7"}"#.utf8)
        let shown = String(
            decoding: response.redacted(body: body, as: MediaType(parsing: "application/json")), as: UTF8.self)
        #expect(shown == #"{"device_code":"<redacted>","user_code":"<redacted>","code":"E7"}"#)
    }

    @Test(arguments: [
        "token=a", "{\"accessToken\":1}", "x-api-key: 1", "ToKen", "use Bearer x", "{\"p\\u0061ss\":1}", "A_KEY", "pin",
        "\u{212A}ey=a", "é-key", "request_uri=a", "DPoP x", "password1=a", "oauth2Token=a", "X-CSRFToken: a",
        "Sessions('a')", "Connections%28%27a", "x://a:b@h", "{\"a\":\"x:\\/\\/b@h\"}",
    ])
    func `the filter finds each text that may have a secret`(text: String) {
        #expect(SecretFilter(.standard).mayFind(in: text))
    }

    @Test(arguments: [
        "shipping spinach", "{\"monkey\":1}", "tokens", "keyboard", "2key", "", "authority", "\\n\\\\", "(a) %20",
        "ann@h", "x://h/@a", "@",
    ])
    func `the filter passes most other text`(text: String) {
        #expect(!SecretFilter(.standard).mayFind(in: text))
    }

    @Test(arguments: [
        "a=%2F%3Ftoken%3Dsesame%zz", "passw%6Frd%FF=sesame", "password=\u{301}sesame",
        "a=b&\u{301}&password=sesame", "a=b;\u{301}&token=sesame",
    ])
    func `an invalid escape or a combining character hides no secret of a form`(form: String) {
        #expect(!redacted(form, "application/x-www-form-urlencoded").contains("sesame"))
    }

    @Test(arguments: ["password=\u{301}sesame", "passw%6Frd%zz=sesame", "a=b&\u{301}&password=sesame"])
    func `an invalid escape or a combining character hides no secret of a query`(query: String) {
        #expect(!Redaction.standard.redacted(form: query).contains("sesame"))
    }

    @Test(arguments: [
        "https://h/?next=/cb?token=sesame", "https://h/?next=%2Fcb%3Ftoken%3Dsesame&a=1",
        "https://u:sesame@h/?a=1#sesame",
        "https://h/?q=Bearer%20sesame12",
    ])
    func `a secret within a value of a query is redacted`(url: String) throws {
        let text = Redaction.standard.redacted(try #require(URL(string: url)))
        #expect(!text.contains("sesame"), "\(text)")
        #expect(Redaction.standard.redacted(try URL(httpString: text)).contains("sesame") == false)
    }

    @Test(arguments: [Redaction.standard, Redaction(words: ["_csrf", "$id", "ssn", "-7x"])])
    func `what the filter passes is not changed by redaction`(redaction: Redaction) {
        let filter = SecretFilter(redaction)
        let parts = [
            "token", "Key", "pass", "word", "PIN", "_", "-", "=", ":", " ", "\"", "{", "}", "<", ">", "x", "7", "é",
            "bearer",
            "Basic", "API", "2", "\\", "\\n", "\\t", "u0061", "abcdefgh1", "%6F", "&", "\n", "s", "SESSION", "Id",
            "_csrf", "_CSRF", "$", "id", "ssn", "-7", "(", ")", "%28", "'",
            "://", "\\/", "@",
        ]
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            let text = (0..<Int(generator.next() % 8)).map { _ in parts[Int(generator.next() % UInt64(parts.count))] }
                .joined()
            for body in [text, "{\"\(text)\":\"x\"}", "<\(text)>x</\(text)>"] where !filter.mayFind(in: body) {
                #expect(redaction.redacted(text: body) == body, "\(body)")
            }
        }
    }
}
