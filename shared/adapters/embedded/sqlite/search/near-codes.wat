;; Finds the codes that differ from one code in fewer bits than a limit. TypeScript has no instruction that counts bits, and
;; needs ten times as long. `vector-codes.ts` has the compiled bytes, and a test compares the two.
(module
  (import "env" "memory" (memory 1))
  ;; $code: address of the code that is compared, of $bytes bytes, a multiple of 32
  ;; $codes: address of $count codes
  ;; $found: address for a pair of 32-bit numbers for each code that is found: its place, from 0, and the number of bits
  ;; Returns the number of codes that are found.
  (func (export "nearer")
    (param $code i32) (param $bytes i32) (param $codes i32) (param $count i32) (param $limit i32) (param $found i32)
    (result i32)
    (local $place i32) (local $at i32) (local $bits i64) (local $begin i32)
    (local $a i64) (local $b i64) (local $c i64) (local $d i64)
    (local.set $begin (local.get $found))
    ;; The first block of the code stays in registers: most codes have one.
    (local.set $a (i64.load (local.get $code)))
    (local.set $b (i64.load offset=8 (local.get $code)))
    (local.set $c (i64.load offset=16 (local.get $code)))
    (local.set $d (i64.load offset=24 (local.get $code)))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $place) (local.get $count)))
        (local.set $bits
          (i64.add
            (i64.add
              (i64.popcnt (i64.xor (i64.load (local.get $codes)) (local.get $a)))
              (i64.popcnt (i64.xor (i64.load offset=8 (local.get $codes)) (local.get $b))))
            (i64.add
              (i64.popcnt (i64.xor (i64.load offset=16 (local.get $codes)) (local.get $c)))
              (i64.popcnt (i64.xor (i64.load offset=24 (local.get $codes)) (local.get $d))))))
        (local.set $at (i32.const 32))
        (block $measured
          (loop $word
            (br_if $measured (i32.ge_u (local.get $at) (local.get $bytes)))
            (local.set $bits
              (i64.add
                (local.get $bits)
                (i64.popcnt
                  (i64.xor
                    (i64.load (i32.add (local.get $codes) (local.get $at)))
                    (i64.load (i32.add (local.get $code) (local.get $at)))))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (br $word)))
        (if (i32.lt_u (i32.wrap_i64 (local.get $bits)) (local.get $limit))
          (then
            (i32.store (local.get $found) (local.get $place))
            (i32.store offset=4 (local.get $found) (i32.wrap_i64 (local.get $bits)))
            (local.set $found (i32.add (local.get $found) (i32.const 8)))))
        (local.set $codes (i32.add (local.get $codes) (local.get $bytes)))
        (local.set $place (i32.add (local.get $place) (i32.const 1)))
        (br $each)))
    (i32.shr_u (i32.sub (local.get $found) (local.get $begin)) (i32.const 3))))
