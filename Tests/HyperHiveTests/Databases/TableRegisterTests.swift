import LocalStore
import Testing

@testable import DeltaSync
@testable import HyperHive

@Suite struct TableRegisterTests {
    private let store = MemoryStore()
    private var register: TableRegister { TableRegister(store: store) }

    private func create(_ resource: String, _ parameters: String, _ tables: [String]) throws -> TableNames {
        let outputs = tables.map { HyperHiveResource.Table($0, columns: [.init("a", .text)]) }
        let target = try ResourceTarget(
            HyperHiveResource(resource, outputs: outputs), parameters: parameters,
            binding: DeltaBinding(server: "s", resource: ""))
        try register.createTables(of: target)
        return target.names
    }

    @Test func `HyperHive 14: tables are found by resource and parameters, those with a digest first`() throws {
        let plain = try create("R", "", ["t", "u"])
        // As the prefix of another name, and as LIKE's wildcard, a resource's name must not find other tables.
        _ = try create("R_t", "", ["t"])
        _ = try create("RXt", "", ["t"])
        let other = try create("R", "abc", ["t"])
        #expect(try register.tableNames(plain) == ["R_t", "R_u"])
        #expect(try register.tableNames(plain, output: "u") == ["R_u"])
        #expect(try register.tableNames(plain, output: "v") == [])
        #expect(try register.tableNames(other) == ["R_900150983cd24fb0d6963f7d28e17f72_t"])
        _ = try create("R", "null", ["t"])
        let hashed = "R_37a6259cc0c1dae299a7866489dff0bd_t"
        #expect(try register.tableNames(plain) == [hashed, "R_t", "R_u"])
        #expect(try register.tableNames(plain, output: "t") == [hashed, "R_t"])
        #expect(try register.tableNames(TableNames(resource: "R", parameters: "{}")) == [])
    }

    @discardableResult
    private func drop(_ names: TableNames) throws -> [String] {
        try register.drop(names, among: Set(register.entries(of: names).map(\.name)))
    }

    @Test func `dropping leaves the tables that a load has created since they were listed`() throws {
        let names = try create("R", "", ["t", "u"])
        #expect(try register.drop(names, among: ["R_u"]) == ["R_u"])
        #expect(try register.drop(names, among: []) == [])
        #expect(try register.tableNames(names) == ["R_t"])
    }

    @Test func `HyperHive 14: dropping removes only the tables of these parameters`() throws {
        let plain = try create("R", "", ["t", "u"])
        let other = try create("R", "abc", ["t"])
        #expect(try drop(plain) == ["R_t", "R_u"])
        #expect(try register.tableNames(plain) == [])
        #expect(try register.tableNames(other).count == 1)
        #expect(try store.tableNames() == [other.local("t").text])
        #expect(try drop(plain) == [])
    }

    @Test(arguments: [("A_B", "C", "A", "B_C"), ("Fruits", "t", "FRUITS", "T"), ("R_x", "t", "r", "X_T")])
    func `resources whose tables would have the same name are refused, and share no rows`(
        owner: String, output: String, resource: String, other: String
    ) throws {
        let names = try create(owner, "", [output])
        let error = #expect(throws: StoreError.self) { try create(resource, "", ["more", other]) }
        #expect(error?.code == .tableExists)
        for text in [owner, resource, other] { #expect(error?.message.contains(text) == true) }
        #expect(try register.tableNames(TableNames(resource: resource, parameters: ""), output: other) == [])
        #expect(try drop(TableNames(resource: resource, parameters: "")) == [])
        // Nothing of the other one was created.
        #expect(try store.tableNames() == [names.local(output).text])
        // The same resource may be listed again, and another one once its tables are gone.
        _ = try create(owner, "", [output])
        try drop(names)
        _ = try create(resource, "", ["more", other])
        try store.execute("DROP TABLE \(names.local(output).quoted)", [])
        _ = try create(owner, "", [output])
        #expect(try register.tableNames(names) == [names.local(output).text])
        #expect(try register.tableNames(TableNames(resource: resource, parameters: ""), output: other) == [])
    }

    @Test func `a table with a digest, and one whose output has it in its name, are not the same`() throws {
        let digest = "900150983cd24fb0d6963f7d28e17f72"
        _ = try create("R", "abc", ["t"])
        #expect(throws: StoreError.self) { try create("R_\(digest)", "", ["t"]) }
        #expect(throws: StoreError.self) { try create("R", "", ["\(digest)_t"]) }
    }

    @Test(arguments: ["", "abc"])
    func `HyperHive 14: a table of the app with rows is neither adopted nor dropped`(parameters: String) throws {
        let table = try TableNames(resource: "R", parameters: parameters).local("t")
        try store.execute("CREATE TABLE \(table.quoted) (memo TEXT)", [])
        try store.execute("INSERT INTO \(table.quoted) VALUES ('mine')", [])
        let error = #expect(throws: StoreError.self) { try create("R", parameters, ["t"]) }
        #expect(error?.code == .tableExists && error?.message.contains(table.text) == true)
        #expect(error?.message.contains("resource R,") == true)
        #expect(try drop(TableNames(resource: "R", parameters: parameters)) == [])
        #expect(try store.rows("SELECT memo FROM \(table.quoted)", []) == [["mine"]])
        // Without rows it may become the resource's.
        try store.execute("DELETE FROM \(table.quoted)", [])
        let names = try create("R", parameters, ["t"])
        #expect(try drop(names) == [table.text])
    }

    @Test func `HyperHive 14: a table of the app in place of a listed one is neither adopted nor dropped`() throws {
        let names = try create("R", "", ["t"])
        try store.execute("DROP TABLE R_t", [])
        try store.execute("CREATE TABLE R_t (memo TEXT)", [])
        try store.execute("INSERT INTO R_t VALUES ('mine')", [])
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try create("R", "", ["t"]) }
            let error = #expect(throws: StoreError.self) { try drop(names) }
            #expect(error?.code == .tableExists && error?.message.contains("Table R_t ") == true)
            #expect(try store.rows("SELECT memo FROM R_t", []) == [["mine"]])
            // Also if rows were loaded into the former table.
            let version = VersionTable(store: store)
            _ = try version.open { "g" }
            let former = try TableSchema("R_t", columns: [.init("a", "TEXT")])
            try version.put(
                .init(version: "1", binding: "", schema: TableSignature(former).text, generation: "g"), for: "R_t")
        }
    }

    @Test func `an app may create a resource's table before it is loaded, with the same columns`() throws {
        try store.execute("CREATE TABLE r_T (A TEXT)", [])
        try store.execute("INSERT INTO R_t VALUES ('mine')", [])
        #expect(try register.tableNames(create("R", "", ["t"])) == ["r_T"])
    }

    @Test func `tables that the app dropped are created again`() throws {
        let names = try create("R", "", ["t"])
        try store.execute("DROP TABLE R_t", [])
        #expect(try register.tableNames(names) == [])
        _ = try create("R", "", ["t"])
        #expect(try register.tableNames(names) == ["R_t"])
    }
}
