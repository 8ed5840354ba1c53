import HTTPMessages
import Testing

@Suite struct HTTPMethodTests {
    @Test(arguments: ["GET", "get", "PROPFIND", "M-SEARCH", "a!#$%&'*+-.^_`|~9"])
    func `a token is a valid method`(name: String) throws {
        #expect(try HTTPMethod(name).name == name)
        #expect(try "\(HTTPMethod(name))" == name)
    }

    @Test(arguments: ["", " ", "GET ", "GE T", "GET\r\n", "GET\u{0}", "GÉT", "GET/", "\u{7F}"])
    func `an invalid token is rejected`(name: String) {
        let error = #expect(throws: HTTPMessageError.self) { try HTTPMethod(name) }
        #expect(error?.code == .invalidMethod)
    }

    @Test func `methods are case-sensitive`() throws {
        #expect(try HTTPMethod("GET") == .get)
        #expect(try HTTPMethod("get") != .get)
        #expect(try !HTTPMethod("get").isSafe)
    }

    @Test(
        arguments: [
            (.get, true, true, false), (.head, true, true, false), (.options, true, true, true),
            (.trace, true, true, false), (.put, false, true, true), (.delete, false, true, true),
            (.post, false, false, true), (.patch, false, false, true), (.query, true, true, true),
        ] as [(HTTPMethod, Bool, Bool, Bool)])
    func `safe, idempotent and body-carrying methods`(
        method: HTTPMethod, isSafe: Bool, isIdempotent: Bool, allowsBody: Bool
    ) {
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(method.allowsBody == allowsBody)
    }

    /// IANA's registry of HTTP methods: safe, idempotent, neither.
    @Test(arguments: [
        ("GET HEAD OPTIONS PRI PROPFIND QUERY REPORT SEARCH TRACE", true, true),
        (
            """
            ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT COPY DELETE LABEL LINK MERGE MKACTIVITY MKCALENDAR MKCOL \
            MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PROPPATCH PUT REBIND UNBIND UNCHECKOUT UNLINK UNLOCK UPDATE \
            UPDATEREDIRECTREF VERSION-CONTROL
            """, false, true
        ),
        ("CONNECT LOCK PATCH POST *", false, false),
    ])
    func `registered methods`(names: String, isSafe: Bool, isIdempotent: Bool) throws {
        for name in names.split(separator: " ") {
            let method = try HTTPMethod(String(name))
            #expect(method.isSafe == isSafe && method.isIdempotent == isIdempotent, "\(name)")
            #expect(try !HTTPMethod(name.lowercased()).isIdempotent || name == "*")
        }
    }

    @Test func `an unknown method is neither safe nor idempotent`() throws {
        let method = try HTTPMethod("PURGE")
        #expect(!method.isSafe && !method.isIdempotent && method.allowsBody)
    }
}
