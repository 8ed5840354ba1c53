import StoreCore
import Testing

@testable import HyperHive

@Suite struct TableNamesTests {
    @Test func `HyperHive 14: no parameters count as null`() throws {
        #expect(try TableNames.digest(of: "") == "37a6259cc0c1dae299a7866489dff0bd")
        #expect(try TableNames.digest(of: "null") == "37a6259cc0c1dae299a7866489dff0bd")
    }

    @Test func `HyperHive 14: the digest is of the text, byte for byte`() throws {
        // RFC 1321, section A.5
        #expect(try TableNames.digest(of: "abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(try TableNames.digest(of: "{}") != TableNames.digest(of: "{ }"))
    }

    @Test func `parameters are stored as their SHA-256`() throws {
        #expect(try TableNames.fingerprint(of: "") == "")
        // FIPS 180-4, the example of one block
        #expect(
            try TableNames.fingerprint(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try TableNames.fingerprint(of: "null") != "")
    }

    @Test func `HyperHive 14: tables have the digest only with parameters`() throws {
        let plain = try TableNames(resource: "study", parameters: "")
        #expect(plain.local("output_table") == "study_output_table")
        #expect(
            plain.candidates("output_table") == [
                "study_37a6259cc0c1dae299a7866489dff0bd_output_table", "study_output_table",
            ])
        let hashed = try TableNames(resource: "study", parameters: "abc")
        #expect(hashed.local("output_table") == "study_900150983cd24fb0d6963f7d28e17f72_output_table")
        #expect(hashed.candidates("output_table") == [hashed.local("output_table")])
    }
}
