import PatchbayTestKit

/// Records numbers in order.
final class Numbers: Sendable {
    private let numbers = Watched<[Int]>([])
    var all: [Int] { numbers.value }
    func append(_ number: Int) { numbers.update { $0.append(number) } }

    func wait(until isMet: @escaping @Sendable ([Int]) -> Bool) async throws { try await numbers.wait(until: isMet) }
    func wait(for count: Int) async throws { try await wait { $0.count >= count } }
}
