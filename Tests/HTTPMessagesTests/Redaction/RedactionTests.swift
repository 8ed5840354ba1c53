import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct RedactionTests {
    @Test(arguments: ["pw", "userPw", "user_pw", "passphrase", "sid", "connect.sid", "keyPassphrase"])
    func `short names of passwords and sessions are secret`(name: String) {
        #expect(Redaction.standard.isSecret(name))
    }

    @Test(arguments: [
        ("/v1/echo?apikey=k-4711&page=2", "/v1/echo?apikey=<redacted>&page=2"),
        ("at https://ann:sesame@h/", "at https://<redacted>@h/"),
        ("token=abc; page=2", "token=<redacted>; page=2"), ("max-age=60, public", "max-age=60, public"),
        ("Thu, 26 Nov 2026 19:27:17 GMT", "Thu, 26 Nov 2026 19:27:17 GMT"), ("W/\"a:b\"", "W/\"a:b\""),
    ])
    func `values of fields with other names are searched for secret names`(value: String, shown: String) throws {
        #expect(try Redaction.standard.redacted(value, of: HTTPFieldName("X-Debug")) == shown)
    }

    @Test func `a challenge is shown`() {
        let challenge = "Digest realm=\"a: x\", algorithm=SHA-256, nonce=\"abc\""
        #expect(Redaction.standard.redacted(challenge, of: .wwwAuthenticate) == challenge)
    }

    @Test(arguments: [
        ("Negotiate YIIKsesame==", "Negotiate <redacted>"),
        ("NTLM, Negotiate sesame, Basic realm=\"x\"", "NTLM, Negotiate <redacted>, Basic realm=\"x\""),
        (
            "Bearer realm=\"https://h/?token=sesame&a=1\", error=invalid_token",
            "Bearer realm=\"https://h/?token=<redacted>&a=1\", error=invalid_token"
        ),
        (
            "Bearer authorization_uri=https://h/a, token = \"sesame, x\"",
            "Bearer authorization_uri=https://h/a, token=\"<redacted>\""
        ),
        (
            "Digest domain=\"/a https://h/?key=sesame\", stale=true",
            "Digest domain=\"/a https://h/?key=<redacted>\", stale=true"
        ),
        ("Basic realm=\"Basic Authentication\"", "Basic realm=\"Basic Authentication\""),
        ("Bearer scope=\"session:role:A key:read\"", "Bearer scope=\"session:role:A key:read\""),
        (
            "Bearer error_description=\"token: sesame, see https://h/help\"",
            "Bearer error_description=\"token: <redacted>, see https://h/help\""
        ),
        ("Bearer realm=\"x\" token=\"sesame\" a=b, c=d", "Bearer realm=\"x\" token=\"<redacted>\" a=b, c=d"),
        ("Bearer a=1, b=2 token=sesame", "Bearer a=1, b=2 token=\"<redacted>\""),
        (
            "Bearer error_description=\"token=sesame  x\", a=\"b  c\"",
            "Bearer error_description=\"token=<redacted> x\", a=\"b  c\""
        ),
        ("Negotiate YIIKsesame realm=\"x\"", "Negotiate <redacted> realm=\"x\""),
        ("Negotiate YII/Ksesame== realm=x, Basic", "Negotiate <redacted> realm=x, Basic"),
        ("Negotiate YIIKsesame= realm=\"x\"", "Negotiate <redacted> realm=\"x\""),
        ("Negotiate YII/Ksesame= realm = x a=1, Basic", "Negotiate <redacted> realm = x a=1, Basic"),
        ("Bearer access_token= sesame= a=1", "Bearer <redacted>"),
        ("Bearer access_token= sesame a=1", "Bearer access_token=\"<redacted>\" a=1"),
        ("Bearer authorization_uri = https://h/a a=1", "Bearer authorization_uri = https://h/a a=1"),
        ("Bearer error_uri= https://h/a a=1", "Bearer error_uri= https://h/a a=1"),
        ("Bearer x y, a", "Bearer x y, a"), ("Bearer @ \"a\" b=", "Bearer @ \"a\" b="),
    ])
    func `a challenge is shown without its data and its secret parameters`(challenge: String, shown: String) {
        #expect(Redaction.standard.redacted(challenge, of: .wwwAuthenticate) == shown)
        #expect(Redaction.standard.redacted(challenge, of: .proxyAuthenticate) == shown)
    }

    @Test(
        arguments: [
            ("a=sesame", "a=<redacted>", "a=<redacted>"), ("sesame", "<redacted>", "<redacted>"), ("a=", "a=", "a="),
            (" =sesame; b=sesame==;", " =<redacted>; b=<redacted>;", " =<redacted>; b=<redacted>;"),
            (
                "a=sesame; Path=/x; Max-Age=9; secure; Expires=Thu, 26 Nov 2026 19:27:17 GMT; SameSite=Lax",
                "a=<redacted>; Path=/x; Max-Age=9; secure; Expires=Thu, 26 Nov 2026 19:27:17 GMT; SameSite=Lax", nil
            ),
            (
                "a=1; Path=/, b=sesame; token=sesame; x", "a=<redacted>; Path=<redacted>; token=<redacted>;<redacted>",
                nil
            ),
            (
                "a=1; expires=sesame; Domain=h, sesame; Path=/Sessions('sesame')",
                "a=<redacted>; expires=<redacted>; Domain=<redacted>; Path=/Sessions(<redacted>)", nil
            ),
            ("a=1; path=sesame; b=\"x; y=z\"", nil, "a=<redacted>; path=<redacted>; b=<redacted>; y=<redacted>"),
        ] as [(String, String?, String?)])
    func `cookies keep their names and attributes`(value: String, received: String?, sent: String?) {
        if let received { #expect(Redaction.standard.redacted(value, of: .setCookie) == received) }
        if let sent { #expect(Redaction.standard.redacted(value, of: .cookie) == sent) }
    }

    @Test func `links and challenges are redacted by the policy, and links keep their parameters`() {
        let redaction = Redaction(words: Redaction.standard.words.union(["tenant"]))
        let link = """
            </a?page=2&tenant=sesame>; rel="next"; results="true"; title="A b"; token="sesame"; \
            anchor="https://h/?tenant=sesame"; title*=UTF-8''tenant%3Dsesame
            """
        #expect(
            redaction.redacted(link, of: .link) == """
                </a?page=2&tenant=%3Credacted%3E>; rel=next; results=true; title="A b"; token="<redacted>"; \
                anchor="https://h/?tenant=<redacted>"; title*="tenant=<redacted>"
                """)
        #expect(redaction.redacted("Bearer tenant=sesame", of: .wwwAuthenticate) == "Bearer tenant=\"<redacted>\"")
    }

    @Test func `a redacted link has its target, and is not changed the second time`() throws {
        let link = "<https://h/oauth/token>; rel=next, </a?token=sesame&page=2>; rel=last"
        let shown = Redaction.standard.redacted(link, of: .link)
        let targets = try LinkField(shown).links.map(\.target)
        #expect(targets == ["https://h/oauth/token", "/a?token=%3Credacted%3E&page=2"], "\(shown)")
        #expect(Redaction.standard.redacted(shown, of: .link) == shown)
    }

    // A fragment has the URL parsed, and is left out.
    @Test func `a URL that needs no parsing is redacted as others`() throws {
        var generator = SeededGenerator(seed: 11)
        let pieces = [
            "/", "a", "%20", "?", "&", "=", "token", "access_token=7", "?token=sesame", "&x=1", "+", ":", "[", "%3F",
            "%26",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            .joined()
            guard let url = URL(string: "https://example.com/" + text),
                let parsed = URL(string: url.absoluteString + "#f")
            else { continue }
            #expect(Redaction.standard.redacted(url) == Redaction.standard.redacted(parsed), "\(url)")
        }
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "authorization", "X-Ak-Session-Id", "Cookie", "Set-Cookie",
        "access_token", "accessToken", "accesstoken", "ACCESS_TOKEN", "api.key", "apiKey", "APIKey", "X-Api-Key",
        "key", "client_secret", "X-Amz-Signature", "sig", "user.password", "id_token", "JWT", "code", "sessionID",
        "X-CSRF-Token", "token", "-token-", "ToKen", "X-PassWd", "JSESSIONID", "X-SMP-APPCID", "X-SUP-APPCID",
        "X-SMP-SESSID", "ApplicationConnectionId", "DPoP", "DPoP-Nonce", "request_uri", "Device_Code", "user_code",
        "Sec-WebSocket-Protocol", "X-CSRFToken", "csrftoken", "XSRFToken", "SAMLToken", "MFACode", "APISecret",
        "oauth2Token", "2Token", "OTP2PIN", "password1", "newPassword2", "api_key_12", "PIN2", "myAPIKey1",
    ])
    func `names of secrets are detected`(name: String) {
        #expect(Redaction.standard.isSecret(name))
    }

    @Test(arguments: [
        "Monkey", "Keyboard", "X-Monkey", "keyboard_layout", "Accept", "Content-Type", "tokenizer", "author",
        "passenger",
        "ETag", "encode", "barcode", "opinion", "spin", "", "-", "ключ", "X-Request-Id", "compass",
        "request", "uri", "request_url", "Sec-WebSocket-Version", "X-Protocol", "SHA256", "key2d", "2key",
        "XMLKeyboard", "1", "MACAddress", "IDs",
    ])
    func `names that contain a secret word only as a substring are not secret`(name: String) {
        #expect(!Redaction.standard.isSecret(name))
    }

    @Test(arguments: ["token_type", "token_endpoint", "Token_Endpoint", "dpop_signing_alg_values_supported"])
    func `what a token or a server is, is no secret, unless a policy has the whole name`(name: String) {
        #expect(!Redaction.standard.isSecret(name) && Redaction(words: [name]).isSecret(name))
        #expect(Redaction.standard.isSecret(name + "_token"))
    }

    @Test(arguments: [
        "pageToken", "page_token", "nextPageToken", "NextToken", "next_token", "syncToken", "nextSyncToken",
        "$skipToken", "deltaToken",
    ])
    func `a position in a list is no secret, unless a policy has the whole name`(name: String) {
        #expect(!Redaction.standard.isSecret(name) && Redaction(words: [name]).isSecret(name))
        #expect(Redaction.standard.isSecret(name + "_secret") && Redaction.standard.isSecret("auth" + name))
        // A credential of a sign-in in steps.
        #expect(Redaction.standard.isSecret("continuation_token"))
    }

    @Test(arguments: ["ZIPCode", "SKUCode", "code2", "key1", "PIN2", "ABCSession", "boarding-pass3", "ZIPCode2"])
    func `a name with other meanings is secret where it is shown only`(name: String) {
        #expect(Redaction.standard.isSecret(name) && !Redaction.standard.forDecisions.isSecret(name))
    }

    @Test(arguments: [
        "code", "zipCode", "api_key_12", "APIKey", "myAPIKey1", "X-CSRFToken", "oauth2Token", "password1", "APISecret",
    ])
    func `a name that means a secret counts for decisions too`(name: String) {
        #expect(Redaction.standard.forDecisions.isSecret(name))
    }

    @Test(
        arguments: [
            ("https://h/TrainingSessions(17)/a?key1=5", nil), ("https://h/ReasonCodes(5)?ZIPCode=1&SKUCode=2", nil),
            ("https://h/GetByKey(id=5)", nil), ("https://h/Pins%283%29", nil), ("https://h/Pins%283%29?code2=a", nil),
            ("https://h/Sessions('sesame')", "https://h/Sessions(<redacted>)"),
            ("https://h/Sessions%28%27sesame%27%29?a=1", "https://h/Sessions%28<redacted>%29?a=1"),
            ("https://h/Sessions(guid'sesame')", "https://h/Sessions(<redacted>)"),
            ("https://h/Connections(7)", "https://h/Connections(<redacted>)"),
            ("https://h/Pins(3)?password1=sesame", "https://h/Pins(3)?password1=<redacted>"),
        ] as [(String, String?)])
    func `a number is no secret key for decisions`(text: String, hidden: String?) throws {
        let url = try #require(URL(string: text))
        #expect(Redaction.standard.forDecisions.redactedByNames(url) == (hidden ?? text))
        #expect(Redaction.standard.redacted(url) != text)
    }

    @Test func `a custom policy is used`() throws {
        let redaction = Redaction(words: ["Owner"])
        #expect(redaction.isSecret("X-OWNER") && redaction.isSecret("carOwner") && !redaction.isSecret("token"))
        #expect(try redaction.redacted("a", of: HTTPFieldName("Owner")) == Redaction.placeholder)
        #expect(try redaction.redacted("a", of: HTTPFieldName("Token")) == "a")
        #expect(!Redaction(words: []).isSecret("token"))
        // Words that have several upper-case letters or a number in names count as they are.
        let whole = Redaction(words: ["apikey", "oauth2token", "sha256"])
        for name in ["myAPIKey", "myOauth2Token", "x-sha256"] { #expect(whole.isSecret(name), "\(name)") }
    }

    @Test(arguments: [
        ("https://h/p", "https://h/p"),
        ("https://h/p?a=1&access_token=sesame&b=2", "https://h/p?a=1&access_token=<redacted>&b=2"),
        ("https://h/p?access%5Ftoken=sesame", "https://h/p?access%5Ftoken=<redacted>"),
        ("https://h/p?ToKen=sesame&token=sesame", "https://h/p?ToKen=<redacted>&token=<redacted>"),
        ("https://h/p?token=sesame=sesame", "https://h/p?token=<redacted>"),
        ("https://h/p?token", "https://h/p?token"),
        ("https://h/p?token=", "https://h/p?token=<redacted>"),
        ("https://h/p?a=1;token=sesame&b=2", "https://h/p?a=<redacted>&b=2"),
        ("https://h/p?token=sesame;sesame", "https://h/p?token=<redacted>"),
        ("https://u:sesame@h:8080/p?a=%20#sesame", "https://h:8080/p?a=%20"),
        ("https://u@h", "https://h"),
        ("https://h/p?", "https://h/p?"),
        ("https://h/p?monkey=1&keyboard=2", "https://h/p?monkey=1&keyboard=2"),
        ("https://[::1]:80/?key=sesame", "https://[::1]:80/?key=<redacted>"),
        ("https://h/a;jsessionid=sesame/b;x=1?a=1", "https://h/a;jsessionid=<redacted>/b;x=1?a=1"),
        ("https://h/a;b;JSESSIONID=sesame;%6Bey=sesame", "https://h/a;b;JSESSIONID=<redacted>;%6Bey=<redacted>"),
        ("https://h/a;token/b;=x", "https://h/a;token/b;=x"),
        ("https://h/v1/app/Connections('sesame')", "https://h/v1/app/Connections(<redacted>)"),
        ("https://h/Connections(%27ses)ame%27)/Nav?a=1", "https://h/Connections(<redacted>)/Nav?a=1"),
        ("https://h/Sessions('sesame')/Keys('a')", "https://h/Sessions(<redacted>)/Keys(<redacted>)"),
        ("https://h/Sessions(guid'sesame')/Keys(7)", "https://h/Sessions(<redacted>)/Keys(<redacted>)"),
        (
            "https://h/Connections(ApplicationConnectionId='ses)ame',b=2)",
            "https://h/Connections(<redacted>)"
        ),
        ("https://h/Sessions%28%27sesame%27%29", "https://h/Sessions%28<redacted>%29"),
        ("https://h/Sessions%287%29/a%20b?a=1", "https://h/Sessions%28<redacted>%29/a%20b?a=1"),
        ("https://h/in?next=/Sessions('sesame')", "https://h/in?next=<redacted>"),
        ("https://h/in?$expand=Sessions($select=Id)", "https://h/in?$expand=Sessions($select=Id)"),
        ("https://h/Sessions()/Sessions('a", "https://h/Sessions()/Sessions('a"),
        ("https://h/Flights('LH400')", "https://h/Flights('LH400')"),
        ("https://h/Connections", "https://h/Connections"),
        ("https://h/in?next=https%3A%2F%2Fa%2Fcb%3Ftoken%3Dsesame&a=%20b", "https://h/in?next=<redacted>&a=%20b"),
        ("https://h/in?next=/cb?token=sesame", "https://h/in?next=<redacted>"),
        ("https://h/in?next=%3Credacted%3E", "https://h/in?next=<redacted>"),
        ("https://h/in?next=https%3A%2F%2Fann%3Asesame%40h%2F&a=1", "https://h/in?next=<redacted>&a=1"),
        ("https://h/in?next=https%3A%2F%2Fh%2Fa%3Fto%3Da%40b", "https://h/in?next=https%3A%2F%2Fh%2Fa%3Fto%3Da%40b"),
        ("https://h/in?next=%2Fauth%3Fnext%3D%252Fcb%253Ftoken%253Dsesame", "https://h/in?next=<redacted>"),
        ("https://h/in?next=%2Fa%3Fb%3D%25252Fcb%25253Ftoken%25253Dsesame", "https://h/in?next=<redacted>"),
        ("https://h/in?next=%2Fa%3Fb%3Dhttps%253A%252F%252Fann%253Asesame%2540h", "https://h/in?next=<redacted>"),
        ("https://h/in?a=100%25&b=%2541", "https://h/in?a=100%25&b=%2541"),
        ("https://h/?at=12:30&q=a+b&x=y=z&c=%3A", "https://h/?at=12:30&q=a+b&x=y=z&c=%3A"),
    ])
    func `URLs are redacted`(url: String, shown: String) throws {
        #expect(try Redaction.standard.redacted(#require(URL(string: url))) == shown)
    }

    @Test(arguments: [
        ("Location", "https://u:sesame@h/p?token=sesame", "https://h/p?token=<redacted>"),
        ("Location", "/in?next=https%3A%2F%2Fa%2Fcb%3Ftoken%3Dsesame", "/in?next=<redacted>"),
        ("Content-Location", "/Connections('sesame')", "/Connections(<redacted>)"),
        ("X-SUP-BACKEND-URL", "https://u:sesame@h/", "https://h/"), ("Referer", "https://h/#sesame", "https://h/"),
        ("X-Text", "https://h/#part", "https://h/#part"),
        ("OData-EntityId", "https://h/Connections('sesame')", "https://h/Connections(<redacted>)"),
        ("DataServiceId", "https://h/Sessions%28%27sesame%27%29/a", "https://h/Sessions%28<redacted>%29/a"),
        ("DataServiceId", "Sessions(5f2c-sesame), (Flights(1))", "Sessions(<redacted>), (Flights(1))"),
    ])
    func `URLs in fields are redacted`(name: String, value: String, shown: String) throws {
        #expect(try Redaction.standard.redacted(value, of: HTTPFieldName(name)) == shown)
    }

    @Test func `keys of entities in a long text take linear time`() {
        for text in ["Keys(", "Keys('", "Keys('/", "Keys(a)'", "Keys()", "%28", "(a"] {
            let long = String(repeating: text, count: 20_000)
            #expect(Redaction.standard.redacted(line: long).utf8.count > 20_000)
        }
    }

    @Test func `a relative URL is resolved first`() throws {
        let base = try #require(URL(string: "https://u:sesame@h/a/?token=sesame"))
        let url = try #require(URL(string: "b?key=sesame", relativeTo: base))
        #expect(Redaction.standard.redacted(url) == "https://h/a/b?key=<redacted>")
    }
}
