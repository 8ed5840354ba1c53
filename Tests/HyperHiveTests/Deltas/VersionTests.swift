import Testing

@testable import HyperHive

@Suite struct VersionTests {
    @Test(arguments: [
        ("6", ContentVersion.full(6)), ("v6", .full(6)), ("\"v6\"", .full(6)), (" \"6\" ", .full(6)), ("0", .full(0)),
        ("delta v1-v6", .delta(base: 1, target: 6)), ("\"delta v1-v6\"", .delta(base: 1, target: 6)),
        ("Delta  1 - 6", .delta(base: 1, target: 6)), ("delta v2-v2", .delta(base: 2, target: 2)),
        ("delta v0-v1", .delta(base: 0, target: 1)),
    ])
    func `HyperHive 11: Content-Version in its forms`(_ field: String, _ expected: ContentVersion) {
        #expect(ContentVersion(field) == expected)
    }

    @Test(arguments: [
        "", "v", "\"\"", "\"", "last", "-1", "+1", "1.0", "delta", "delta v1", "delta v1-last", "delta v2-v1",
        "delta v1-v2-v3", "delta -v1", "99999999999999999999", "v１",
    ])
    func `HyperHive 11: other values are no version`(_ field: String) { #expect(ContentVersion(field) == nil) }

    @Test(arguments: [nil, "\"1a\"", "W/\"a b  c\"", ""])
    func `the text of a stored version is reversible`(_ etag: String?) {
        let version = StoredVersion(number: 7, load: "ID", etag: etag)
        #expect(StoredVersion(version.text) == version)
    }

    @Test(arguments: ["", "7", "7 ", "x ID", "-1 ID"]) func `other texts are no stored version`(_ text: String) {
        #expect(StoredVersion(text) == nil)
    }

    @Test(
        arguments: [
            (nil, .load(0)), (.full(6), .load(6)), (.delta(base: 0, target: 6), .load(6)),
            (.delta(base: 5, target: 6), .change(from: Self.stored, to: 6)),
            (.delta(base: 5, target: 5), .change(from: Self.stored, to: 5)),
            // Nothing is newer.
            (.delta(base: 3, target: 5), .skip(Self.stored)), (.delta(base: 3, target: 4), .skip(Self.stored)),
            // A row that was inserted in 4 and deleted in 6 is in neither list of such a delta.
            (.delta(base: 3, target: 6), .gap), (.delta(base: 6, target: 6), .gap), (.delta(base: 6, target: 7), .gap),
        ] as [(ContentVersion?, ResponseDisposition)])
    func `HyperHive 6: what a response does follows from its versions`(
        _ content: ContentVersion?, _ expected: ResponseDisposition
    ) {
        var requested = Self.stored
        #expect(ResponseDisposition(content, requested: requested, stored: Self.stored) == expected)
        // Another process has loaded changes since the request.
        requested.number = 3
        #expect(ResponseDisposition(content, requested: requested, stored: Self.stored) == expected)
        guard case .delta(let base, _)? = content, base > 0 else { return }
        // Another process has loaded all rows since the request, or has dropped them.
        requested.load = "other"
        for (requested, stored) in [(requested, Self.stored), (nil, Self.stored), (requested, nil)] {
            #expect(ResponseDisposition(content, requested: requested, stored: stored) == .gap)
        }
    }

    private static let stored = StoredVersion(number: 5, load: "ID", etag: "e")
}
