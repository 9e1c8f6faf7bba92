import Testing

@Suite struct `Time limits` {
    @Test func `A time limit is met by the first attempt that is fast enough`() throws {
        var tries = 0
        let result = try TimeBound(.seconds(1), tries: 3).keep("work") { number -> (took: Duration, result: Int) in
            tries += 1
            return (.seconds(2 - number), number)
        }
        #expect(result == 2 && tries == 3)
    }

    @Test func `A time limit that no attempt meets fails with the duration of each`() throws {
        var tries = 0
        let failure = #expect(throws: TimeBound.Failure.self) {
            try TimeBound(.seconds(1), tries: 3).keep("work") { _ -> (took: Duration, result: Void) in
                tries += 1
                return (.seconds(1), ())
            }
        }
        #expect(tries == 3)
        #expect(failure?.description.hasPrefix("work took [1.0 seconds, 1.0 seconds, 1.0 seconds]") == true)
    }

    @Test func `A time limit ends a wait`() {
        var looks = 0
        let took = TimeBound(.milliseconds(20)).wait {
            looks += 1
            return false
        }
        #expect(took >= .milliseconds(20))
        #expect(looks > 0)
    }
}
