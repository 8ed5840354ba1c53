import HTTPMessages
import Testing

@testable import HTTPCaching

@Suite struct FieldRulesTests {
    private func names(_ fields: HTTPFields) -> [String] { fields.map(\.name.canonicalName) }

    @Test func `secrets and fields of the connection are not stored`() throws {
        let fields = try HTTPFields([
            "A": "1", "Connection": "B, close", "B": "2", "Keep-Alive": "5", "Transfer-Encoding": "chunked",
            "Set-Cookie": "a=b", "WWW-Authenticate": "Basic", "X-CSRF-Token": "t", "Surrogate-Key": "k", "D": "4",
            "X-CSRFToken": "t", "x-xsrftoken": "t",
            "Cache-Control": "no-cache=\"D, e\", private=\"A\"",
        ])
        let directives = ResponseDirectives(fields)
        #expect(!directives.noCache && !directives.isPrivate)
        #expect(names(FieldRules.stored(fields, directives, CacheRules())) == ["a", "surrogate-key", "cache-control"])
        let shared = CacheRules { ($0.isShared, $0.storesSetCookie) = (true, true) }
        #expect(
            names(FieldRules.stored(fields, directives, shared)) == ["set-cookie", "surrogate-key", "cache-control"])
    }

    @Test func `a directive may name many fields`() throws {
        let names = (0..<5_000).map { "X-\($0)" }
        var fields = HTTPFields()
        for name in names + ["Kept"] { try fields.append(name, "1") }
        for (directive, isOmitted) in [("no-cache", true), ("private", false)] {
            fields[.cacheControl] = "\(directive)=\"\(names.joined(separator: " , "))\", max-age=60"
            let directives = ResponseDirectives(fields)
            #expect(!directives.noCache && !directives.isPrivate && directives.maxAge == 60)
            let isKept = self.names(FieldRules.stored(fields, directives, CacheRules()))
            #expect(isKept == (isOmitted ? ["kept", "cache-control"] : fields.map(\.name.canonicalName)))
            let shared = CacheRules { $0.isShared = true }
            #expect(self.names(FieldRules.stored(fields, directives, shared)) == ["kept", "cache-control"])
        }
    }

    @Test func `a 304 replaces fields, but not those of the content`() throws {
        let stored = try HTTPFields([
            "Date": "old", "Age": "7", "Content-Length": "3", "Content-Type": "text/plain", "X": "1", "Y": "1",
            "Content-Digest": "sha-256=:YQ==:",
        ])
        let new = try HTTPFields([
            "Date": "new", "Content-Length": "0", "Content-Type": "text/html", "x": "2",
            "Content-Digest": "sha-256=:Yg==:",
        ])
        let updated = FieldRules.updated(stored, by: new)
        #expect((updated[.date], updated["X"], updated["Y"]) == ("new", "2", "1"))
        #expect((updated[.contentLength], updated[.contentType], updated[.age]) == ("3", "text/plain", nil))
        #expect(updated["Content-Digest"] == "sha-256=:YQ==:")
        // Without a date of its own, the 304 is as old as its receipt, and not as the stored response.
        #expect(FieldRules.updated(stored, by: try HTTPFields(["X": "2"]))[.date] == nil)
    }

    @Test func `a qualified directive without names is an unqualified one`() throws {
        for text in ["no-cache=\"\"", "no-cache=\", \"", "no-cache=\"a b\"", "no-cache=\"a\", no-cache"] {
            #expect(ResponseDirectives(try HTTPFields([("Cache-Control", text)])).noCache, "\(text)")
        }
    }
}
