@_exported public import PatchbayTestKit
public import StoreCore

/// The conformance suite for stores: requirements that every `LocalStore` meets, as test cases.
///
/// ```swift
/// let mine = StoreSubject("MyStore") { folder in try MyStore(path: folder.appending(path: "store").path) }
///
/// @Test(arguments: StoreConformance.cases) func conforms(conformance: StoreConformanceCase) async throws {
///     try await conformance.check(mine)
/// }
/// ```
///
/// Each case has a store and a folder of its own, so cases may run in parallel and in any order. The SQL is the subset
/// that `MemoryStore` supports. An intended deviation of a store is an exclusion of its subject, with a reason.
public enum StoreConformance {
    /// All cases. Their names are unique.
    public static let cases: [StoreConformanceCase] =
        values + numbers + tables + names + quotes + statements + batches + queries + reads + transactions + changes
        + protection + parameters + records + decoding + interruption + asyncCalls + cancellation + waiting
        + observation + streams + migrations
        + [.exclusionsNameCases { cases }]

    /// The table in the store of each case: `jack`, with the key `id`, and `label`, `gain`, `raw` and `any`.
    public static var jacks: TableSchema {
        get throws(StoreError) {
            try TableSchema(
                "jack",
                columns: [
                    .init("id", "INTEGER"), .init("label", "TEXT"), .init("gain", "REAL"), .init("raw", "BLOB"),
                    .init("any"),
                ],
                primaryKey: ["id"])
        }
    }
}
