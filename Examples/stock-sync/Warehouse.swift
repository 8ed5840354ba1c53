import DeltaSync
import Patchbay
import SQLiteStore

/// An article: a row of the table, and a body of the API.
struct Article: Codable, Equatable, Identifiable, Sendable {
    var id: String
    var name: String
    var price: Double
    var count: Int
}

/// The articles of a server as a table, beside a table of the app's own.
struct Warehouse: Sendable {
    let store: any LocalStore
    private let api: APIClient
    private let applier: DeltaApplier
    private let target: DeltaTarget

    init(_ api: APIClient, in store: any LocalStore) throws {
        (self.api, self.store) = (api, store)
        try Self.migrator.migrate(store)
        applier = DeltaApplier(store)
        let columns: [TableSchema.Column] = [
            .init("id", "TEXT", isNotNull: true), .init("name", "TEXT"), .init("price", "REAL"),
            .init("count", "INTEGER"), .init("etag", "TEXT"),
        ]
        // The version of the rows belongs to this server and resource: with another one, all rows are loaded again.
        target = try DeltaTarget(
            tables: [TableSchema("article", columns: columns, primaryKey: ["id"])],
            binding: DeltaBinding(server: api.baseURL.description, resource: "articles"))
    }

    private static var migrator: StoreMigrator {
        var migrator = StoreMigrator()
        migrator.add("create article and alarm") { store in
            try store.execute(
                """
                CREATE TABLE article (
                    id TEXT NOT NULL PRIMARY KEY, name TEXT, price REAL, count INTEGER, etag TEXT)
                """)
            try store.execute("CREATE TABLE alarm (article TEXT NOT NULL PRIMARY KEY, least INTEGER NOT NULL)")
        }
        return migrator
    }

    /// Gets what has changed since the last time. Rows and version change in one transaction, or not at all.
    @discardableResult
    func synchronize() async throws -> DeltaOutcome {
        let api = api
        return try await applier.update(target) { request in
            switch request {
            case .fullLoad: try await api.stream(.get("changes")).body
            case .changes(let version), .nextPage(let version):
                try await api.stream(.get("changes", query: ["since": version])).body
            }
        }
    }

    /// Warns when the count of an article is below a number.
    func setAlarm(_ article: Article.ID, below least: Int) throws {
        try store.execute("INSERT OR REPLACE INTO alarm (article, least) VALUES (\(article), \(least))")
    }

    private static let short: SQL = """
        SELECT id, name, price, count FROM article JOIN alarm ON alarm.article = article.id
        WHERE count < least ORDER BY id
        """

    /// The articles to order now.
    func toOrder() throws -> [Article] { try store.rows(as: Article.self, Self.short) }

    /// The articles to order now, and again after each change of the result.
    func shortages() -> some AsyncSequence<[Article], any Error> & Sendable {
        store.observe(as: Article.self, Self.short).removingDuplicates()
    }

    func articles(below price: Double) throws -> [Article] {
        try store.rows(
            as: Article.self, "SELECT id, name, price, count FROM article WHERE price < \(price) ORDER BY price, id")
    }

    /// The value of the stock.
    func value() throws -> Double {
        try store.value(of: Double.self, "SELECT sum(price * count) FROM article") ?? 0
    }
}
