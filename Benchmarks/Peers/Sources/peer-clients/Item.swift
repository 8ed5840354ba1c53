struct Item: Codable, Sendable {
    var id = 7
    var name = "patch cable"
    var price = 12.5
    var tags = ["audio", "6.3 mm"]
    var stock = 140
}
