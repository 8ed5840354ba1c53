/// What this cache does in the cases of other suites whose expectation it does not meet: the differences.
enum Deviations {
    /// The differences of a case with a deviation.
    static func differences(of test: PolicyCase) -> [String] {
        if let known = all[test.description] { return known }
        return test.description.hasPrefix("status ") ? ["after 0.0 s: hit, not sent*"] : []
    }

    /// By the names of the cases.
    private static let all: [String: [String]] = [
        "503": ["after 0.0 s: hit, not sent"],
        "HEAD after HEAD": ["after 0.0 s: sent, not hit"],
        "HEAD for a stored GET": ["after 200.0 s: sent, not sent if \"123456789\""],
        "a Date before the lifetime": ["after 0.0 s: sent, not hit"],
        "a POST with one": ["after 0.0 s: sent, not hit"],
        "a cookie in a shared cache": ["after 0.0 s: hit, not sent"],
        "a date in place of a tag": ["after 200.0 s: updated, not full"],
        "a date of a POST": ["after 200.0 s: sent if yesterday, not sent"],
        "a date of a request with Accept-Ranges": ["after 200.0 s: sent if Tue, 15 Nov 1994 12:45:26 GMT, not sent"],
        "a field that is new in the 304": ["x-new: new, not -"],
        "a malformed date": ["date: now, not Tue, 14 Nov 2023 22:13:21 GMT"],
        "a part of a part": ["after 0.0 s: sent if bytes=6-8, not hit"],
        "a response of GitHub, its clock 77 s behind": ["after 0.0 s: sent if W/\"4876\", not hit"],
        "a stored part": ["after 0.0 s: sent if bytes=-5, not hit"],
        "a stored warning": ["warning: 199 test danger, not -"],
        "a suffix": ["after 0.0 s: sent if bytes=-1, not hit"],
        "a tenth of a long age": ["after 0.0 s: sent if Tue, 01 Aug 2023 22:13:20 GMT, not hit"],
        "a warning of an old response": ["warning: -, not 113"],
        "a weak tag of a POST": ["after 200.0 s: sent if W/\"weak\", not sent"],
        "at the end of stale-while-revalidate": ["after 0.0 s: hit, revalidated, not sent"],
        "immutable without a lifetime": ["after 100.0 s: sent if Tue, 14 Nov 2023 22:13:20 GMT, not hit"],
        "max-stale, Age": ["after 0.0 s: hit, not sent"],
        "no date": ["after 200.0 s: updated, not full"],
        "no tag": ["after 200.0 s: updated, not full"],
        "no weak tag": ["after 200.0 s: updated, not full"],
        "old extensions, ignored with what is beside them": ["after 0.0 s: sent, not hit"],
        "proxy-revalidate": ["after 0.0 s: hit, not sent"],
        "stale by as much as max-stale": ["after 0.0 s: hit, not sent"],
        "tags of a POST": [
            "after 200.0 s: sent if W/\"weak\", \"strong\", W/\"weak2\", not sent if \"strong\", \"123456789\""
        ],
        "tags of the request": ["after 200.0 s: sent if \"123456789\", not sent if \"foo\", \"bar\", \"123456789\""],
        "tags of the request, and a date": [
            "after 200.0 s: sent if \"123456789\" and Tue, 15 Nov 1994 12:45:26 GMT, not sent if W/\"weak\", "
                + "\"strong\", W/\"weak2\", \"123456789\" and Tue, 15 Nov 1994 12:45:26 GMT"
        ],
        "the end of a part": ["after 0.0 s: sent if bytes=6-, not hit"],
        "the start of a body, and then all of it": ["after 0.0 s: sent, not sent if bytes=5-"],
        "two stored warnings": ["warning: 199 test danger, 200 ok ok, not 200 ok ok"],
    ]
}
