import PatchbayTestKit
import Testing

@Suite struct SeededGeneratorTests {
    // Computed with the algorithm's published form in C.
    @Test(
        arguments: [
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
            (
                1_234_567,
                [
                    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                    4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
                ]
            ),
        ] as [(UInt64, [UInt64])])
    func `matches the published algorithm`(seed: UInt64, numbers: [UInt64]) {
        var generator = SeededGenerator(seed: seed)
        #expect(numbers.map { _ in generator.next() } == numbers)
    }

    @Test func `a copy continues with the same numbers`() {
        var first = SeededGenerator(seed: .max)
        _ = first.next()
        var second = first
        #expect(first == second)
        #expect((0..<9).map { _ in first.next() } == (0..<9).map { _ in second.next() })
        #expect(SeededGenerator(seed: 1) != SeededGenerator(seed: 2))
    }
}
