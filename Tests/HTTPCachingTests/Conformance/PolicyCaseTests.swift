import HTTPCaching
import HTTPMessages
import Testing
import Transport

/// The cases of two other suites, in the words of this one.
@Suite struct PolicyCaseTests {
    /// https://github.com/kornelski/http-cache-semantics, a library that decides and neither stores nor sends. Left out
    /// are two of its 125 cases, about arguments of its functions.
    @Test(arguments: SecondOpinion.all) func `the second opinion`(test: PolicyCase) async throws {
        try await expect(test)
    }

    /// The status codes of its case from OkHttp: responses with `Last-Modified` and `Expires`.
    @Test(arguments: SecondOpinion.statuses.flatMap(\.codes)) func `the second opinion on statuses`(
        code: Int
    ) async throws {
        let row = try #require(SecondOpinion.statuses.first { $0.codes.contains(code) })
        let response = "\(code) | last-modified: @-3600 | expires: @3600 | www-authenticate: Basic realm=\"a\""
        try await expect(
            PolicyCase("status \(code)", response, [0: row.isStored ? "hit" : "sent*"], but: row.deviation))
    }

    /// https://github.com/web-platform-tests/wpt, the folder `fetch/http-cache`.
    @Test(arguments: WebPlatformCases.all) func `web platform tests`(test: PolicyCase) async throws {
        try await expect(test)
    }

    /// The statuses of the same folder.
    @Test(arguments: WebPlatformCases.statuses) func `web platform tests of statuses`(code: Int) async throws {
        try await expect(PolicyCase("fresh \(code)", "\(code) | expires: @100000 | last-modified: @-10000", [0: "hit"]))
        try await expect(
            PolicyCase("stale \(code)", "\(code) | expires: @-5000 | last-modified: @-100000", [0: "sent*"]))
    }

    /// Fetch's modes of the same folder. Where that adds fields for `no-store`, this cache sends the request as it is.
    @Test(
        arguments: [
            (.reload, "", "no-cache"), (.reload, "foo", "foo"), (.noStore, "", "-"), (.noStore, "foo", "foo"),
            (.standard, "", "-"),
        ] as [(CachePolicy, String, String)])
    func `policies and the fields that are sent`(policy: CachePolicy, own: String, sent: String) async throws {
        let origin = TestOrigin(["Cache-Control": "max-age=60"])
        var request = try HTTPRequest.test { $0.cachePolicy = policy }
        if !own.isEmpty { request.fields[.cacheControl] = own }
        _ = try await origin.transport.caching().send(request)
        #expect(origin.requests[0].fields[.cacheControl] ?? "-" == sent)
    }

    private func expect(_ test: PolicyCase) async throws {
        let expected = test.deviation == nil ? [] : Deviations.differences(of: test)
        #expect(!expected.isEmpty || test.deviation == nil, "\(test) does not say what this cache does instead")
        #expect(try await test.differences() == expected, "\(test)")
    }
}
