/// How many run and how many wait for each key, by the key's number.
struct KeyLoads {
    struct Load {
        var running: Int32 = 0
        var waiting: Int32 = 0
        var isIdle: Bool { running == 0 && waiting == 0 }
    }

    /// As many as the largest number that was ever told.
    private(set) var loads: [Load] = []
    /// How many keys run or wait.
    private(set) var busyCount = 0

    /// How many run.
    func running(_ key: Int) -> Int { loads.indices.contains(key) ? Int(loads[key].running) : 0 }

    /// True when none runs and none waits.
    func isIdle(_ key: Int) -> Bool { !loads.indices.contains(key) || loads[key].isIdle }

    mutating func change(_ key: Int, running: Int32 = 0, waiting: Int32 = 0) {
        while key >= loads.count { loads.append(Load()) }
        let wasIdle = loads[key].isIdle
        loads[key].running += running
        loads[key].waiting += waiting
        let isIdle = loads[key].isIdle
        if wasIdle != isIdle { busyCount += isIdle ? -1 : 1 }
    }
}
